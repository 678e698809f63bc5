import { join } from 'node:path';
import { databaseUrl } from './database-url.ts';
import { setting } from './setting.ts';
import { bool, integer, text } from './value-type.ts';

const IDLE = integer('<connections>', { min: 0, max: 1000 });
const POOL = integer('<connections>', { min: 1, max: 1000 });

export const DATABASE_SETTINGS = {
  embedded: setting({
    env: 'SERVICE_EMBEDDED',
    group: 'Database',
    type: bool,
    default: false,
    purpose: 'Run PostgreSQL inside the process; pool sizes then have no effect',
  }),
  'data-dir': setting({
    env: 'SERVICE_DATA_DIR',
    group: 'Database',
    type: text('<dir>'),
    default: ({ dataHome }) => join(dataHome, 'svc'),
    defaultText: '$XDG_DATA_HOME/svc (~/.local/share/svc)',
    purpose: 'Embedded database and generated secrets key; one server per directory',
  }),
  'db-url': setting({
    env: 'DB_URL',
    group: 'Database',
    type: databaseUrl,
    default: undefined,
    defaultText: 'required without --embedded',
    secret: 'url-password',
    purpose: 'URL of the primary database, postgresql://… or jdbc:postgresql://…',
    remedy: 'write it as postgresql://user@host:5432/database',
  }),
  'db-user': setting({
    env: 'DB_USER',
    group: 'Database',
    type: text('<name>'),
    default: undefined,
    defaultText: 'required without --embedded, unless in --db-url',
    purpose: 'Database user',
  }),
  'db-password': setting({
    env: 'DB_PASSWORD',
    group: 'Database',
    type: text('<password>'),
    default: undefined,
    defaultText: 'required without --embedded, unless in --db-url',
    secret: 'all',
    purpose: 'Database password; at least 14 characters in FIPS mode',
  }),
  'db-min-idle': setting({
    env: 'DB_MIN_IDLE',
    group: 'Database',
    type: IDLE,
    default: 2,
    purpose: 'Minimum idle connections',
  }),
  'db-max-pool': setting({
    env: 'DB_MAX_POOL_SIZE',
    group: 'Database',
    type: POOL,
    default: 50,
    purpose: 'Maximum connections',
  }),
  'background-db-min-idle': setting({
    env: 'BACKGROUND_DB_MIN_IDLE',
    group: 'Database',
    type: IDLE,
    default: 0,
    purpose: 'Minimum idle connections of the background pool',
  }),
  'background-db-max-pool': setting({
    env: 'BACKGROUND_DB_MAX_POOL_SIZE',
    group: 'Database',
    type: POOL,
    default: 20,
    purpose: 'Maximum connections of the background pool',
  }),
  'db-read-url': setting({
    env: 'DB_READ_URL',
    group: 'Database',
    type: databaseUrl,
    default: undefined,
    secret: 'url-password',
    reserved: true,
    purpose: 'URL of a read replica for retrievals and lists',
    remedy: 'write it as postgresql://user@host:5432/database',
  }),
};
