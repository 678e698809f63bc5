import { MAX_DIGITS } from './limits.ts';

/** A number of the grammar as decimal text that is a JSON number too, or undefined when it has too many digits. */
export function normaliseNumeral(text: string): string | undefined {
  const [, whole = '', decimals = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const integer = whole.replace(/^0+(?=\d)/, '');
  const fraction = decimals.replace(/0+$/, '');
  if (integer === '0' && fraction === '') {
    return '0';
  }
  const power = Number(exponent);
  const leading = integer === '0' ? -(/^0*/.exec(fraction)?.[0].length ?? 0) : integer.length;
  if (leading + power > MAX_DIGITS || fraction.length - power > MAX_DIGITS) {
    return undefined;
  }
  const mantissa = fraction === '' ? integer : `${integer}.${fraction}`;
  return power === 0 ? mantissa : `${mantissa}e${power}`;
}
