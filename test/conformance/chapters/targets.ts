import { type Chapter, planned, shown } from '../line.ts';

const TARGETS = 'contract/targets/targets.scenarios.ts';
const EMBEDDERS = 'contract/targets/embedders.scenarios.ts';
const LLMS = 'contract/targets/llms.scenarios.ts';
const CREDENTIALS = 'contract/targets/credentials.scenarios.ts';
const PROXY = 'wires/rest/proxy.test.ts';

export const TARGETS_CHAPTER: Chapter = {
  title: 'Embedders, LLMs, rerankers and their credentials',
  lines: [
    shown(
      'Embedders, LLMs and rerankers are created with defaults, read, listed, updated and deleted alike',
      `${TARGETS}: create fills in the defaults`,
      `${TARGETS}: bad fields are refused with their names`,
      `${TARGETS}: update changes the given fields and keeps the others`,
      `${TARGETS}: an update is validated like a create, and immutable fields are refused`,
      `${TARGETS}: a deleted target is NOT_FOUND`,
      'contract/targets/reading.scenarios.ts: lists are newest first and match every filter',
    ),
    shown(
      'A duplicate of a target of the same owner is refused, in any spelling of its address; another credential makes another target',
      `${TARGETS}: a duplicate is detected despite another spelling, per owner`,
      `${TARGETS}: an update cannot make a duplicate`,
      `${CREDENTIALS}: another credential makes another target, and an update without one keeps it`,
      'unit/server/service/targets/target-fingerprint.test.ts: %s is the same as %s',
    ),
    shown(
      'Each provider has its call path and its wire form',
      `${TARGETS}: each provider has a default call path, and a given path overrides it`,
      'unit/server/providers/embedders/protocols.test.ts: %s',
      'unit/server/providers/rerankers/client.test.ts: %s',
      'unit/server/providers/llms/client.test.ts: the body',
    ),
    shown(
      'Link-local addresses are refused when they are stored and when a name leads there',
      'unit/server/providers/addresses.test.ts: %s is link-local',
      'unit/server/providers/addresses.test.ts: to %s is refused before it connects',
      'unit/server/providers/addresses.test.ts: to a name that resolves to refused addresses alone is refused, whatever was checked when it was stored',
      `${TARGETS}: bad fields are refused with their names`,
    ),
    shown(
      'Embedders: while a space uses them, they cannot be deleted and the fields that determine vectors are immutable',
      `${EMBEDDERS}: while a space uses it, it cannot be deleted and the fields that determine its vectors are immutable`,
      'store/targets/embedder-changes.test.ts: of a concurrent delete and create of a space with it one succeeds',
    ),
    shown(
      'Embedders: dimensions and inputs have bounds, vectors of another length are failures, and all are of unit length',
      `${EMBEDDERS}: dimensions and maxSequenceLength have limits`,
      'unit/server/providers/builtin/embed-lexical.test.ts: have unit length whatever the text, and never NaN',
      'unit/server/providers/embedders/client/failures.test.ts: %s are an invalid response',
      'unit/server/providers/embedders/protocols.test.ts: embeds in unit length and in order, in batches that it takes',
    ),
    shown(
      'Embedders: BUILTIN needs no address; SPARSE and ONNX say UNIMPLEMENTED',
      `${EMBEDDERS}: BUILTIN needs no address, has a default size and one model`,
      `${EMBEDDERS}: SPARSE and ONNX are UNIMPLEMENTED, and a model directory needs the _ANY permission`,
    ),
    shown(
      'LLMs: omitted capabilities are inferred and reported; an update replaces whole objects',
      `${LLMS}: each capability that is left out is inferred, and reported`,
      `${LLMS}: given fields are returned unchanged, and no others`,
      `${LLMS}: an update replaces whole objects`,
      `${LLMS}: numbers and names out of range are refused`,
    ),
    shown(
      'Rerankers: only providers that can rerank are accepted',
      `${TARGETS}: bad fields are refused with their names`,
      `${TARGETS}: each provider has a default call path, and a given path overrides it`,
    ),
    shown(
      'Credentials are never returned, sealed in the database, and unsealed with the secrets key alone',
      `${CREDENTIALS}: credentials are never shown`,
      'unit/server/providers/embedders/client/failures.test.ts: never appear in a message, even when the provider echoes them',
      'faults/secrets-at-rest.test.ts: the database holds no readable secret: neither credentials, nor keys, nor the secrets key',
      'unit/server/service/credentials/sealing.test.ts: unseals neither in another row nor with another key',
      'unit/server/service/credentials/sealing.test.ts: unseals nothing with a changed or missing byte',
    ),
    shown(
      'References to secrets of the server, and its own identity, need more permission than an inline secret, and cannot move to another address',
      `${CREDENTIALS}: a reference to a secret of the server, and the server's own identity, need more than an inline secret`,
      `${CREDENTIALS}: an owner cannot redirect a secret of the server to another address`,
      'unit/server/service/credentials/credentials.test.ts: read the environment at each call, without a key',
      'unit/server/service/credentials/credentials.test.ts: read a file at each call and drop its last line end',
    ),
    shown(
      'Without a secrets key an inline secret is refused, with how to make one; embedded servers generate theirs',
      `${CREDENTIALS}: …: an inline secret needs a secrets key, a reference does not`,
      'unit/server/service/credentials/secrets-key.test.ts: is created once, with mode 0600, and leaves no temporary file',
    ),
    shown(
      'Without the key that sealed credentials a server starts, and their use is CONFIGURATION_ERROR until they are replaced',
      'faults/database-start.test.ts: without the secrets key a server starts; sealed credentials are CONFIGURATION_ERROR until they are replaced',
      'unit/server/service/credentials/credentials.test.ts: of an inline secret cannot be made with %s',
    ),
    shown(
      'Another secrets key than the one in use exits with 78 at the start',
      'faults/database-start.test.ts: another secrets key than the one in use is refused with a sentence; the right one still works',
    ),
    shown(
      'Calls are retried after transient failures, within their timeout, and never before Retry-After',
      'unit/server/providers/retry.test.ts: repeats after %s',
      'unit/server/providers/retry.test.ts: does not repeat %s',
      'unit/server/providers/retry.test.ts: backs off exponentially, with full jitter, up to the cap',
      'unit/server/providers/retry.test.ts: never retries before Retry-After',
      'unit/server/providers/retry.test.ts: does not wait past the deadline',
    ),
    shown(
      'Proxy: method, path, query and body pass as they came, with the stored credential in place of the caller’s',
      `${PROXY}: %s: method, path, query and body as they came`,
      `${PROXY}: bodies of any type, byte for byte`,
      `${PROXY}: the stored credential, without headers of this server or hop-by-hop headers`,
    ),
    shown(
      'Proxy: the response is streamed with its status, without cookies; redirects are passed on',
      `${PROXY}: status, headers and bytes, without cookies and headers of this server`,
      `${PROXY}: streamed; a client abort cancels the call to the provider`,
      `${PROXY}: redirects are passed on`,
    ),
    shown(
      'Proxy: a refused request is not forwarded',
      'wires/rest/proxy-refusals.test.ts: refused here, without a call to the provider',
      'contract/permissions/permissions.test.ts: operations by caller, over %s',
      'contract/permissions/permissions.test.ts: the matrix has every operation',
    ),
    shown(
      'Proxy: no connection is 503, a time-out of the first byte 504',
      `${PROXY}: no connection is UNAVAILABLE`,
      `${PROXY}: a time-out of the first byte, and a connection that breaks before it, are DEADLINE_EXCEEDED`,
      `${PROXY}: an unusable credential is FAILED_PRECONDITION, and reveals no secret`,
    ),
    planned('POST /v1/ocr:document', 'documents and OCR'),
  ],
};
