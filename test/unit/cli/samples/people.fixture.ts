import { at, createdAt, HOSTILE, id, ME, updatedAt, WIDE } from './values.fixture.ts';

export const users = [
  {
    userId: id('02'),
    email: 'ada@example.org',
    displayName: 'Ada Lovelace',
    username: 'ada',
    role: 2,
    createdAt,
    updatedAt,
  },
  {
    userId: id('03'),
    email: 'a.very.long.address.of.somebody@department.example.org',
    displayName: WIDE,
    role: 3,
    createdAt,
  },
  { userId: ME, email: 'root@localhost', displayName: HOSTILE, username: 'root', role: 1, createdAt },
];

export const keys = [
  {
    apiKeyId: id('a1'),
    userId: ME,
    keyPrefix: 'svc_4fgh',
    status: 1,
    labels: { purpose: 'ci' },
    restrictions: { readOnly: true, spaceIds: [id('b1'), id('b2')] },
    expiresAt: at(6, 1, 0, 0),
    lastUsedAt: at(3, 5, 9, 29),
    createdAt,
    updatedAt,
  },
  {
    apiKeyId: id('a2'),
    userId: ME,
    keyPrefix: 'svc_zz01',
    status: 2,
    labels: { host: WIDE, owner: 'somebody' },
    createdAt,
  },
  { apiKeyId: id('a3'), userId: ME, keyPrefix: 'svc_h05t', status: 1, labels: { note: HOSTILE }, createdAt },
];
