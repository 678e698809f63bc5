import { type Positional, required } from '../command.ts';

export const MEMORY: Positional<string> = { ...required('id', 'Id or path of the memory'), completes: 'memories' };
