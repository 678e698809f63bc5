import { describe, expect, it } from 'vitest';
import { outcome } from '../template.fixture.ts';

/** Template, what it prints. Where the name of a section says Pebble, the value is what Pebble prints. */
const ROWS: Readonly<Record<string, readonly (readonly [template: string, printed: string])[]>> = {
  'text filters, as Pebble': [
    ['{{ "this is a long sentence." | abbreviate(7) }}', 'this...'],
    ['{{ "abc" | abbreviate(2) }} {{ "abcdef" | abbreviate(3) }} {{ "abcdef" | abbreviate(6) }}', 'abc abc abcdef'],
    ['{{ "abcdefgh" | abbreviate(length=5) }}', 'ab...'],
    ['{{ "article title" | capitalize }} {{ " xy" | capitalize }} {{ "" | capitalize }}', 'Article title  Xy '],
    ['{{ "article title" | title }} {{ "o\'neill\tx" | title }}', "Article Title O'neill\tX"],
    ['{{ "ÀB" | lower }} {{ "àb" | upper }}', 'àb ÀB'],
    ['{{ "  a b \n" | trim }}|', 'a b|'],
    ['{{ "I like %this% and %that%." | replace({"%this%": "foo", "%that%": "bar"}) }}', 'I like foo and bar.'],
    ['{{ "aXbX" | replace("X", "-") }} {{ "a.b" | replace(".", "$&") }}', 'a-b- a$&b'],
    ['{{ "ab" | replace({"": "-"}) }} {{ "aa" | replace({"a": "b", "b": "c"}) }}', '-a-b- cc'],
    ['{{ "one,two,three" | split(",") }} {{ "one,two,three" | split(",", 2) }}', '[one, two, three] [one, two,three]'],
    ['{{ "a,b,," | split(",") | length }} {{ "a,b,," | split(",", -1) | length }}', '2 4'],
    ['{{ "abc" | split("") }} {{ "a.b" | split(".") }}', '[a, b, c] [a, b]'],
    ['{{ "The string ü@foo-bar ~" | urlencode }}', 'The+string+%C3%BC%40foo-bar+%7E'],
    ['{{ "test" | base64encode }} {{ "dGVzdA==" | base64decode }}', 'dGVzdA== test'],
    ['{{ "test" | sha256 }}', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    ['{{ userQuery | raw }}', 'When was the boiler serviced?'],
    ['{{ 12 | upper }} {{ null | upper }} {{ true | upper }}', '12  TRUE'],
    ['{{ [] | upper }}', 'runtime: Line 1: Expected a string, got a list'],
    ['{% filter upper %}a {{ "b" }}{% endfilter %}', 'A B'],
    ['{% filter upper | trim | abbreviate(5) %} a {{ userQuery }} {% endfilter %}', 'A ...'],
  ],
  'list filters, as Pebble': [
    ['{{ context | first }} {{ context | last }} {{ "abc" | first }} {{ "abc" | last }}', 'Hello Hi a c'],
    ['{{ [] | first }}{{ "" | first }}{{ null | last }}', ''],
    ['{{ context | join(", ") }} {{ [1, 2] | join }} {{ [1, null] | join("-") }}', 'Hello, Hi 12 1-null'],
    [
      '{{ context | length }} {{ "abc" | length }} {{ null | length }} {{ {"a": 1} | length }} {{ 5 | length }}',
      '2 3 0 1 0',
    ],
    ['{{ [3, 1, 2] | sort }} {{ ["b", "a"] | sort }} {{ [1, 3, 2] | rsort }}', '[1, 2, 3] [a, b] [3, 2, 1]'],
    ['{{ [10, 9, 2.5] | sort }}', '[2.5, 9, 10]'],
    ['{{ [1, "a"] | sort }}', 'runtime: Line 1: a string cannot be compared with a number'],
    ['{{ [1, 2, 3] | reverse }}', '[3, 2, 1]'],
    ['{{ [1, 2, 3, 4] | slice(1, 3) }} {{ "abcdef" | slice(2) }} {{ "abc" | slice(0, 1) }}', '[2, 3] cdef a'],
    ['{{ [1, 2] | slice(0, 5) }} {{ [1] | slice(1) }} {{ "abc" | slice(toIndex=2) }}', '[1, 2] [] ab'],
    ['{{ [1] | slice(-1) }}', 'runtime: Line 1: The arguments fromIndex and toIndex must not be negative'],
    [
      '{{ [1] | merge([2]) }} {{ {"a": 1} | merge({"a": 2, "b": 3}) }} {{ null | merge([1]) }}',
      '[1, 2] {a=2, b=3} [1]',
    ],
    ['{{ {"a": 1} | merge(["x"]) }}', '{a=1, x=x}'],
    [
      '{{ unknown | default("d") }} {{ "" | default("d") }} {{ " " | default("d") }} {{ [] | default("d") }}',
      'd d d d',
    ],
    ['{{ 0 | default("d") }} {{ "a" | default("d") }} {{ false | default("d") }}', '0 a false'],
    ['{{ results[1].memoryCreatedAt | default("unknown") }}', 'unknown'],
    ['{{ "abc" | join(",") }}', 'runtime: Line 1: Expected a list, got a string'],
  ],
  'number filters, as Pebble': [
    ['{{ -5 | abs }} {{ 5 | abs }} {{ -2.5 | abs }} {{ null | abs }}', '5 5 2.5 '],
    ['{{ 3.141592653 | numberformat("#.##") }}', '3.14'],
    ['{{ 1234567.891 | numberformat }} {{ 1000 | numberformat }} {{ 0.5 | numberformat }}', '1,234,567.891 1,000 0.5'],
    [
      '{{ 0.125 | numberformat("0.00") }} {{ 0.375 | numberformat("0.00") }} {{ 2.5 | numberformat("0") }}',
      '0.12 0.38 2',
    ],
    [
      '{{ 0.256 | numberformat("0.0%") }} {{ 0.83 | numberformat("0%") }} {{ 0.0125 | numberformat("0.0‰") }}',
      '25.6% 83% 12.5‰',
    ],
    ['{{ 5 | numberformat("000") }} {{ 5 | numberformat("0.00") }} {{ -5 | numberformat("0") }}', '005 5.00 -5'],
    ['{{ -5 | numberformat("#,##0.00;(#,##0.00)") }} {{ 1234 | numberformat("$#,##0.00") }}', '(5.00) $1,234.00'],
    [`{{ 7 | numberformat("'#'0 items") }} {{ 0.5 | numberformat("#.##") }}`, '#7 items .5'],
    ['{{ 1e }}', 'syntax: Line 1: Expected variable end'],
    ['{{ "5" | numberformat }}', 'runtime: Line 1: Expected a number, got a string'],
    ['{{ 5 | numberformat("abc") }}', 'runtime: Line 1: The format of a number needs digits: 0 or #'],
    ['{{ results[0].score | numberformat("0.0") }}', '0.8'],
  ],
  'dates, as Pebble': [
    ['{{ results[0].memoryCreatedAt | date("yyyy-MM-dd HH:mm") }}', '2026-03-03 09:30'],
    ['{{ results[0].memoryCreatedAt | date("EEEE, d MMMM yyyy, h:mm a") }}', 'Tuesday, 3 March 2026, 9:30 AM'],
    ['{{ results[0].memoryCreatedAt | date("EEE dd.MM.yy") }}', 'Tue 03.03.26'],
    [`{{ results[0].chunkTimestamp | date("yyyy-MM-dd'T'HH:mm:ss.SSSXXX") }}`, '2026-03-03T09:30:01.400Z'],
    [`{{ results[0].chunkTimestamp | date("HH'h'mm 'o''clock'") }}`, "09h30 o'clock"],
    [
      '{{ results[0].memoryCreatedAt | date }} {{ results[1].memoryCreatedAt | date("yyyy") }}',
      '2026-03-03T09:30:00Z ',
    ],
    ['{{ 0 | date("yyyy-MM-dd") }} {{ 1772530200000 | date("HH:mm") }}', '1970-01-01 09:30'],
    ['{{ "2026-03-03T09:30:00+02:00" | date("HH:mm") }} {{ "2026-03-03" | date("d/M/yy") }}', '07:30 3/3/26'],
    ['{{ "2026-03-03T09:30:00+0000" | date("HH:mm") }}', '09:30'],
    ['{{ "03/04/2026 5:06 PM" | date("yyyy-MM-dd HH:mm", "dd/MM/yyyy h:mm a") }}', '2026-04-03 17:06'],
    ['{{ "20260304" | date("d MMM", existingFormat="yyyyMMdd") }}', '4 Mar'],
    ['{{ results[0].memoryCreatedAt | date("HH:mm z", timeZone="Europe/Paris") }}', '10:30 Europe/Paris'],
    ['{{ results[0].memoryCreatedAt | date("yyyy-MM-dd HH:mm Z", timeZone="+09:30") }}', '2026-03-03 19:00 +0930'],
    ['{{ 0 | date("D K k H a S SSSSSS Q QQQ") }}', '1 0 24 0 AM 0 000000 1 Q1'],
    ['{{ "yesterday" | date("yyyy") }}', 'runtime: Line 1: The string is not a date of the expected form'],
    ['{{ "2026-02-30" | date("yyyy") }}', 'runtime: Line 1: The string is not a date of the expected form'],
    ['{{ 0 | date("bb") }}', 'runtime: Line 1: The date pattern letter "b" is not known'],
    ['{{ 0 | date("yyyy", timeZone="Mars/Olympus") }}', 'runtime: Line 1: Unknown time zone "Mars/Olympus"'],
    ['{{ true | date("yyyy") }}', 'runtime: Line 1: a boolean is not a date'],
  ],
};

describe.each(Object.entries(ROWS))('%s', (_, rows) => {
  it.each(rows.map((row) => [...row]))('%j', (template, printed) => {
    expect(outcome(template)).toBe(printed);
  });
});
