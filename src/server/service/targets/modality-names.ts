import { Modality } from '../../../shared/gen/service/v1/common_pb.ts';

/** The names of modalities, each once; [] when none is given. */
export function modalityNames(modalities: readonly Modality[]): string[] {
  const known = modalities.filter((modality) => modality !== Modality.UNSPECIFIED);
  return [...new Set(known)].map((modality) => Modality[modality]);
}

export function modalityOf(name: string): Modality {
  return Modality[name as keyof typeof Modality];
}
