import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { DatabaseUrlError, parseDatabaseUrl } from '../../../../src/server/settings/database-url.ts';

describe('parseDatabaseUrl', () => {
  test('reads a JDBC URL with separate credentials', () => {
    const target = parseDatabaseUrl('jdbc:postgresql://db.example:6432/memories?sslmode=verify-full&connectTimeout=3', {
      user: 'ada',
      password: 'p@ss/word',
    });
    expect(target).toEqual({
      host: 'db.example',
      port: 6432,
      database: 'memories',
      user: 'ada',
      password: 'p@ss/word',
      sslMode: 'verify-full',
      sslRootCert: undefined,
      connectTimeoutMs: 3000,
      searchPath: [],
      ignored: [],
    });
  });

  test('takes user and password from the URL only where none is given', () => {
    const url = 'postgresql://ada:s%40fe%2F@h/d';
    expect(parseDatabaseUrl(url)).toMatchObject({
      user: 'ada',
      password: 's@fe/',
      host: 'h',
      database: 'd',
      port: 5432,
    });
    expect(parseDatabaseUrl(url, { user: 'bob' })).toMatchObject({ user: 'bob', password: 's@fe/' });
    expect(parseDatabaseUrl(url, { password: 'x' })).toMatchObject({ user: 'ada', password: 'x' });
    expect(parseDatabaseUrl('jdbc:postgresql://h/d?user=eve&password=pw')).toMatchObject({
      user: 'eve',
      password: 'pw',
    });
  });

  test.each([
    ['postgres://u@[::1]:5433/d', { host: '::1', port: 5433 }],
    ['postgresql://u@/d', { host: 'localhost', database: 'd' }],
    ['postgresql:///d?user=u', { host: 'localhost', database: 'd' }],
    ['postgresql://u@h', { database: 'u' }],
    ['postgresql://u@/d?host=/run/postgresql', { host: '/run/postgresql' }],
    ['jdbc:postgresql://h/d?user=u&ssl=true', { sslMode: 'verify-full' }],
    ['postgresql://u@h/d', { sslMode: 'prefer', connectTimeoutMs: 10_000 }],
    ['postgresql://u@h/d?connect_timeout=0', { connectTimeoutMs: 120_000 }],
    [
      'postgresql://u@h/d?sslrootcert=/etc/ca.pem&sslmode=VERIFY-CA',
      { sslMode: 'verify-ca', sslRootCert: '/etc/ca.pem' },
    ],
    ['postgresql://u@h/my%20db', { database: 'my db' }],
    [
      'jdbc:postgresql://h/d?user=u&currentSchema=app,"A%20""b"",c",public',
      { searchPath: ['app', 'A "b",c', 'public'] },
    ],
    [
      'jdbc:postgresql://h/d?user=u&prepareThreshold=0&tcpKeepAlive=true&constructor=x',
      { ignored: ['prepareThreshold', 'tcpKeepAlive', 'constructor'] },
    ],
  ])('%s', (url, expected) => {
    expect(parseDatabaseUrl(url)).toMatchObject(expected);
  });

  test.each([
    ['mysql://u@h/d', /^must have the form jdbc:postgresql/],
    ['postgresql://u@h:99999/d', /^cannot be read/],
    ['postgresql://h/d', /user is missing/],
    ['postgresql://u@h/d?sslmode=maybe', /^sslmode must be one of disable, allow/],
    ['postgresql://u@h/d?connectTimeout=soon', /integer, in seconds/],
    ['postgresql://u@h/a/b', /one database name/],
    ['postgresql://u:%zz@h/d', /broken percent-encoding/],
  ])('refuses %s with a phrase', (url, phrase) => {
    expect(() => parseDatabaseUrl(url)).toThrow(DatabaseUrlError);
    expect(() => parseDatabaseUrl(url)).toThrow(phrase);
  });

  test('never repeats a password in an error', () => {
    for (const url of ['postgresql://u:hunter2@h:x/d', 'pg://u:hunter2@h/d', 'postgresql://u:hunter2@h/d?sslmode=x']) {
      let thrown: unknown;
      try {
        parseDatabaseUrl(url);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(DatabaseUrlError);
      expect(inspect(thrown, { depth: 9 })).not.toContain('hunter2');
    }
  });
});
