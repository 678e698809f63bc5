import { expect, test } from 'vitest';
import { Lifecycle } from '../../../src/server/lifecycle.ts';

const never = new AbortController().signal;

function ready(): Lifecycle {
  const lifecycle = new Lifecycle();
  lifecycle.ready();
  return lifecycle;
}

test('a drain waits for what is running', async () => {
  const lifecycle = ready();
  const [endFirst, endLast] = [lifecycle.begin(), lifecycle.begin()];
  lifecycle.drain();
  const reached = lifecycle.reached('QUIESCED', never);
  endFirst();
  endFirst();
  expect(lifecycle.state).toBe('DRAINING');
  endLast();
  expect(await reached).toBe(true);
  expect([lifecycle.state, lifecycle.running]).toEqual(['QUIESCED', 0]);
});

test('reads during QUIESCED do not change the state and are waited for', async () => {
  const lifecycle = ready();
  lifecycle.drain();
  const end = lifecycle.begin();
  expect(lifecycle.state).toBe('QUIESCED');
  expect(await lifecycle.idle(AbortSignal.abort())).toBe(false);
  const idle = lifecycle.idle(never);
  end();
  expect(await idle).toBe(true);
});

test('a wait ends with its signal', async () => {
  const lifecycle = ready();
  lifecycle.begin();
  const leaving = new AbortController();
  const reached = lifecycle.reached('QUIESCED', leaving.signal);
  leaving.abort();
  expect(await reached).toBe(false);
});

test('a drain is told once, whether it comes later or is under way', () => {
  const lifecycle = ready();
  const told: string[] = [];
  lifecycle.onDrain(() => told.push('before'));
  const end = lifecycle.begin();
  lifecycle.drain();
  lifecycle.onDrain(() => told.push('during'));
  end();
  expect([lifecycle.state, told]).toEqual(['QUIESCED', ['before', 'during']]);
});
