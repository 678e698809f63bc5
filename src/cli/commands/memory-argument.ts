import { required } from '../command.ts';

export const MEMORY = required('id', 'Id of the memory');
