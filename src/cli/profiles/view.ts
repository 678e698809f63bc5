import type { Profile } from '../kit/config/config.ts';
import type { LocalView } from '../kit/output/records.ts';
import { yesNo } from '../kit/text/figures.ts';
import { maskKey } from '../kit/text/printable.ts';

/** A profile as it is listed and shown. */
export interface ShownProfile extends Profile {
  readonly name: string;
  readonly isCurrent: boolean;
}

/** @param showKey whether API keys may be read in full. */
export function profileView(showKey: boolean): LocalView<ShownProfile> {
  const keyOf = ({ apiKey }: ShownProfile): string | undefined =>
    apiKey === undefined || showKey ? apiKey : maskKey(apiKey);
  return {
    json: ({ name, isCurrent, ...profile }) => ({
      name,
      current: isCurrent,
      ...profile,
      // undefined is left out of the JSON.
      apiKey: keyOf({ name, isCurrent, ...profile }),
    }),
    columns: [
      { header: 'NAME', value: ({ name }) => name, whole: true },
      { header: 'CURRENT', value: ({ isCurrent }) => yesNo(isCurrent), whole: true },
      { header: 'SERVER', value: ({ server }) => server ?? '' },
      { header: 'API KEY', value: (profile) => keyOf(profile) ?? '', whole: showKey },
      { header: 'TLS', value: ({ tls }) => tls ?? 'auto', whole: true },
      { header: 'OUTPUT', value: ({ output }) => output ?? 'auto' },
    ],
    fields: [
      { header: 'name', value: ({ name }) => name },
      { header: 'current', value: ({ isCurrent }) => yesNo(isCurrent) },
      { header: 'server', value: ({ server }) => server ?? '' },
      { header: 'api key', value: (profile) => keyOf(profile) ?? '' },
      { header: 'tls', value: ({ tls }) => tls ?? 'auto' },
      { header: 'output', value: ({ output }) => output ?? 'auto' },
      { header: 'tls seen', value: ({ tlsSeen }) => yesNo(tlsSeen ?? false) },
      { header: 'certificate', value: ({ certificateSha256 }) => certificateSha256 ?? '' },
    ],
  };
}
