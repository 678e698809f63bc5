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
      'All three are created with defaults, read, listed, updated and deleted alike',
      `${TARGETS}: create fills in the defaults`,
      `${TARGETS}: bad fields are refused with their names`,
      `${TARGETS}: update changes what is given and keeps the rest`,
      `${TARGETS}: an update is judged like a create, and what is fixed stays`,
      `${TARGETS}: what is deleted is gone`,
      'contract/targets/reading.scenarios.ts: lists show newest first what fits every filter',
    ),
    shown(
      'The same target is registered once an owner, however its address is spelt; another credential makes another target',
      `${TARGETS}: a duplicate is found behind spelling, per owner`,
      `${TARGETS}: an update cannot make a duplicate`,
      `${CREDENTIALS}: another credential makes another target, and an update without one keeps it`,
      'unit/server/service/targets/target-fingerprint.test.ts: %s is the same as %s',
    ),
    shown(
      'Each provider has its call path and its wire form',
      `${TARGETS}: each provider has its call path, and a path that is given counts`,
      'unit/server/providers/embedders/protocols.test.ts: %s',
      'unit/server/providers/rerankers/client.test.ts: %s',
      'unit/server/providers/llms/client.test.ts: the body',
    ),
    shown(
      'Link-local addresses are refused when they are stored and when a name leads there',
      'unit/server/providers/addresses.test.ts: %s is link-local',
      'unit/server/providers/addresses.test.ts: to %s is refused before it connects',
      'unit/server/providers/addresses.test.ts: to a name that resolves to nothing else is refused, whatever the record was checked against',
      `${TARGETS}: bad fields are refused with their names`,
    ),
    shown(
      'Embedders: what their vectors depend on stays while a space uses them, and so do they',
      `${EMBEDDERS}: while a space uses it, what its vectors depend on stays, and so does it`,
      'store/targets/embedder-changes.test.ts: and the making of a space exclude one another',
    ),
    shown(
      'Embedders: dimensions and inputs have bounds, vectors of another length are failures, and all are of unit length',
      `${EMBEDDERS}: a vector has a length, and an input a limit`,
      'unit/server/providers/builtin/embed-lexical.test.ts: have unit length whatever the text, and never NaN',
      'unit/server/providers/embedders/failures.test.ts: %s are an invalid response',
      'unit/server/providers/embedders/protocols.test.ts: embeds in unit length and in order, in batches that it takes',
    ),
    shown(
      'Embedders: BUILTIN needs no address; SPARSE and ONNX say UNIMPLEMENTED',
      `${EMBEDDERS}: BUILTIN needs no address, has a default size and one model`,
      `${EMBEDDERS}: SPARSE and ONNX are not built, and a directory of the server is not for everybody`,
    ),
    shown(
      'LLMs: capabilities that are left out are inferred and told; an update replaces objects whole',
      `${LLMS}: each capability that is left out is inferred, and told`,
      `${LLMS}: what was given is shown as it was, and nothing else`,
      `${LLMS}: an update replaces objects whole`,
      `${LLMS}: numbers and names beyond their bounds are refused`,
    ),
    shown(
      'Rerankers: only providers that can rerank are taken',
      `${TARGETS}: bad fields are refused with their names`,
      `${TARGETS}: each provider has its call path, and a path that is given counts`,
    ),
    shown(
      'Credentials are shown nowhere, sealed in the database, and opened with the secrets key alone',
      `${CREDENTIALS}: credentials are never shown`,
      'unit/server/providers/embedders/failures.test.ts: never reach a message, even when the provider repeats them',
      'faults/secrets-at-rest.test.ts: the database holds no readable secret: neither credentials, nor keys, nor the secrets key',
      'unit/server/service/credentials/credentials.test.ts: opens neither in another row nor with another key',
      'unit/server/service/credentials/credentials.test.ts: opens nothing that was changed or cut, in whichever byte',
    ),
    shown(
      'A reference to a secret of the server, and its own identity, need more than an inline secret, and follow no other address',
      `${CREDENTIALS}: a reference to a secret of the server, and the server's own identity, need more than an inline secret`,
      `${CREDENTIALS}: an owner cannot send a secret of the server somewhere else`,
      'unit/server/service/credentials/credentials.test.ts: read the environment at each call, without a key',
      'unit/server/service/credentials/credentials.test.ts: read a file at each call and drop its last line end',
    ),
    shown(
      'Without a secrets key an inline secret is refused, with the way to make one; embedded servers make theirs',
      `${CREDENTIALS}: …: an inline secret needs a secrets key, a reference does not`,
      'unit/server/service/credentials/credentials.test.ts: is made once, for its owner only, and leaves no draft behind',
    ),
    shown(
      'Without the key that sealed them a server starts, and says CONFIGURATION_ERROR until other credentials take their place',
      'faults/database-start.test.ts: without the secrets key a server starts; what was sealed with it is of no use until something takes its place',
      'unit/server/service/credentials/credentials.test.ts: of an inline secret cannot be made with %s',
    ),
    shown(
      'Another secrets key than the one in use ends the start with 78',
      'faults/database-start.test.ts: another secrets key than the one in use is refused with a sentence; the right one still works',
    ),
    shown(
      'Calls are repeated after failures that may pass, within their time, and never before the provider said',
      'unit/server/providers/retry.test.ts: repeats after %s',
      'unit/server/providers/retry.test.ts: does not repeat %s',
      'unit/server/providers/retry.test.ts: waits longer and longer, with full jitter, up to the cap',
      'unit/server/providers/retry.test.ts: never comes back before the provider said',
      'unit/server/providers/retry.test.ts: does not wait past the deadline',
    ),
    shown(
      'Proxy: method, path, query and body pass as they came, with the stored credential in place of the caller’s',
      `${PROXY}: %s: method, path, query and body as they came`,
      `${PROXY}: bodies of any type, byte for byte`,
      `${PROXY}: the stored credential, and nothing that belongs to this server or this connection`,
    ),
    shown(
      'Proxy: the answer streams back with its status, without cookies; redirects are answers',
      `${PROXY}: status, headers and bytes; no cookie, and no header that would speak for this server`,
      `${PROXY}: while it comes; who leaves ends the call there`,
      `${PROXY}: redirects are answers`,
    ),
    shown(
      'Proxy: refusals are answered here, and nothing is forwarded',
      `${PROXY}: what is refused here, without a call to the provider`,
      'contract/permissions/permissions.test.ts: who may, over %s',
      'contract/permissions/permissions.test.ts: the matrix has every operation',
    ),
    shown(
      'Proxy: no connection is 503, silence before the first byte 504',
      `${PROXY}: no connection is UNAVAILABLE`,
      `${PROXY}: no first byte in time, and a connection that breaks before it, are DEADLINE_EXCEEDED`,
      `${PROXY}: a credential that cannot be used is FAILED_PRECONDITION, and tells no secret`,
    ),
    planned('POST /v1/ocr:document', 'documents and OCR'),
  ],
};
