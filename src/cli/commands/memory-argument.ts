import { type Positional, required } from '../command.ts';

export const MEMORY: Positional<string> = { ...required('id', 'Id of the memory'), completes: 'memories' };
