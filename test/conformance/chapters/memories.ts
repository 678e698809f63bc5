import { type Chapter, planned, shown } from '../line.ts';

const SPACES = 'contract/spaces/spaces.scenarios.ts';
const MEMORIES = 'contract/memories/memories.scenarios.ts';
const UPDATE = 'contract/memories/update.scenarios.ts';
const REPROCESS = 'contract/memories/reprocess.scenarios.ts';
const LISTS = 'contract/memories/lists.scenarios.ts';
const CHUNKS = 'contract/memories/chunks.scenarios.ts';
const CONTENT = 'wires/rest/content.test.ts';
const RETRIES = 'store/jobs/retries.test.ts';
const LEASES = 'store/jobs/leases.test.ts';

export const MEMORIES_CHAPTER: Chapter = {
  title: 'Spaces, memories and jobs',
  lines: [
    shown(
      'Spaces: the default is the oldest default embedder of root; without one embedders are required',
      'store/spaces/crud.test.ts: without an embedder the oldest default one of ROOT is used',
      'contract/system/init.test.ts: the embedded database gets a default embedder, an external one does not',
    ),
    shown(
      'Spaces: description and retentionDays are shown when set; retentionDays and giveUpAfterMinutes change, the description not',
      `${SPACES}: description and retentionDays are shown when set; retentionDays can be removed`,
      `${SPACES}: giveUpAfterMinutes is an hour unless told, and can be changed`,
      `${SPACES}: immutable fields are refused`,
    ),
    shown(
      'Spaces: one with embedders of 1,024 dimensions or more may have a vector index of signs, whose best candidates are ordered by the whole vectors',
      `${SPACES}: vectorQuantization is shown where it was asked for, and needs 1,024 dimensions`,
      'store/retrieval/quantized.test.ts: is searched through it, among twice as many candidates, with high recall',
    ),
    shown(
      'Spaces: deleting a space deletes its memories, chunks, vectors and jobs, and nothing of another space',
      `${MEMORIES}: deleting a space deletes its memories, also those in processing`,
      'store/spaces/delete.test.ts: a space is deleted with everything in it, and nothing of another space is',
      `${LEASES}: deleting the space does so too`,
    ),
    shown(
      'Spaces: lists show own ones, those of other users with LIST_SPACE_ANY, and public ones to every user',
      'contract/spaces/lists.scenarios.ts: LIST_SPACE_ANY lists the spaces of other users, and every user lists public ones',
      'contract/permissions/permissions.test.ts: visibility by caller, over %s',
    ),
    shown(
      'Spaces: nameFilter is a case-insensitive glob over the whole name; three orders, newest first by default',
      'contract/spaces/lists.scenarios.ts: nameFilter is a case-insensitive glob over the whole name',
      'contract/spaces/lists.scenarios.ts: newest first, or as asked',
      'store/spaces/list.test.ts: the glob %s',
    ),
    shown(
      'Chunking: the default is recursive, 512 with 64 overlap; none keeps the content as one chunk',
      'unit/server/service/chunking-config.test.ts: an empty config is recursive, 512 with 64 overlap',
      'unit/server/workers/chunk/chunk-text.test.ts: keeps the content as one chunk',
    ),
    shown(
      'Chunking: a memory with a config of its own is chunked by it, and shows it',
      "store/memories/create.test.ts: a memory's own chunking config is kept and shown with all its fields",
      `${REPROCESS}: a COMPLETED memory is PENDING again and replaces what it had`,
    ),
    shown(
      'Chunking: chunks are exact slices of the text, at code points; white space alone makes no chunk',
      'unit/server/workers/chunk/chunk-text.test.ts: respects the size, slices exactly, loses nothing and splits no character',
      'unit/server/workers/chunk/chunk-text.test.ts: drops chunks of white space only',
      'unit/server/workers/chunk/sentence-chunker.test.ts: respects the maximum, slices exactly, loses nothing and splits no character',
    ),
    shown(
      'Create: content as text or base64, exactly one of them, with metadata within bounds',
      `${MEMORIES}: content comes back byte for byte, text as it was extracted`,
      `${MEMORIES}: bad requests are refused with their fields`,
      `${CONTENT}: malformed base64 is refused; both alphabets are accepted`,
    ),
    shown(
      'Create: as multipart in either order, with the name and type of the file as defaults',
      `${CONTENT}: multipart: either order of the parts, the file name in the metadata, its type as the default`,
      `${CONTENT}: multipart: missing and excess parts are refused`,
    ),
    shown(
      'Create: 201 is sent after the commit, and an aborted upload leaves nothing',
      'faults/kill.test.ts: accepted memories survive repeated SIGKILL',
      `${CONTENT}: an aborted upload leaves nothing behind`,
    ),
    shown(
      'Create: waitMs answers when processing has ended, or its time is over, or the server drains',
      `${MEMORIES}: waitMs gives the answer when processing has ended`,
      'store/ingest/process.test.ts: a batch waits for all of its items',
      'store/ingest/lifecycle.test.ts: waitMs ends at its timeout, and the answer shows the current status',
      'store/ingest/lifecycle.test.ts: ends every wait, stops claiming jobs and becomes idle',
    ),
    shown(
      'Content up to its limit is stored in parts, over both wires; more is PAYLOAD_TOO_LARGE and leaves nothing',
      `${CONTENT}: multipart: content and body have separate limits`,
      'store/memories/create.test.ts: more than the limit is refused and nothing stays',
      'contract/memories/large-content.test.ts: 100 MB through multipart: stored as sent, in memory that does not grow with the file',
      'contract/memories/large-content.test.ts: 100 MB in one gRPC message: stored as sent, in memory for the message and one copy',
    ),
    shown(
      'Content is read with its type, hash, name and one range, and headers against execution in a browser',
      `${CONTENT}: content has its type and hash, and headers against execution in a browser`,
      `${CONTENT}: one range: %s`,
      `${CONTENT}: conditional requests`,
      `${CONTENT}: a stored HTML type is not served as a page`,
    ),
    shown(
      'Expiry: by the space, the memory, or never; an expired memory is NOT_FOUND at once, and deleted later with its chunks and vectors',
      `${MEMORIES}: expiry: by the space, by the memory, or never; an expired memory is NOT_FOUND at once`,
      `${UPDATE}: expiry is set, changed and removed, and never lies in the past`,
      'store/ingest/lifecycle.test.ts: expired memories are deleted with their chunks, vectors and jobs, the others stay',
      'store/ingest/lifecycle.test.ts: a running server sweeps periodically',
      'contract/retrieval/retrieval.scenarios.ts: expired, deleted and not COMPLETED memories are not found',
    ),
    shown(
      'Update: metadata is replaced or merged, within bounds of the result; everything else is immutable; no job is made',
      `${UPDATE}: metadata is replaced or merged, member by member`,
      `${UPDATE}: the limits hold for the merged result`,
      `${UPDATE}: everything else is immutable`,
      `${UPDATE}: filters see the new metadata; content, chunks and jobs stay as they were`,
      `${UPDATE}: concurrent merges are all kept`,
    ),
    shown(
      'Reprocess: COMPLETED and FAILED go back to PENDING with a new job, hidden until they are COMPLETED; anything else is refused',
      `${REPROCESS}: a COMPLETED memory is PENDING again and replaces what it had`,
      `${REPROCESS}: a FAILED memory is tried again; without a body or with an empty one`,
      `${REPROCESS}: of concurrent calls one succeeds; the others are refused because it is being processed`,
      'store/memories/reprocess.test.ts: only a processed memory is queued, and hidden from retrieval until it is processed again',
      'store/memories/reprocess.test.ts: a server that is killed during reprocessing leaves no duplicate and loses nothing',
    ),
    shown(
      'The history shows the job and its attempts, and stacks to callers with READ_MEMORY_ANY alone',
      `${MEMORIES}: the history of a COMPLETED memory, as documented`,
      `${MEMORIES}: the stack of a failure is shown only to those who may read everything`,
      'store/ingest/process.test.ts: an unsupported type FAILS at once, and its content can be read',
    ),
    shown(
      'Jobs: five attempts, with a backoff of one second to ten minutes and a jitter of a fifth; permanent errors fail at once',
      'unit/server/service/ingest/failed-attempt.test.ts: after attempt %i it is %i ms, a fifth more or less',
      'unit/server/service/ingest/failed-attempt.test.ts: the fifth attempt is the last',
      `${RETRIES}: after five attempts the memory is FAILED`,
      `${RETRIES}: a permanent error is FAILED at once`,
    ),
    shown(
      'Jobs: a lease is renewed during the work; when it expires another worker takes over, and writes of the first are refused',
      `${LEASES}: a lease is renewed while the work goes on`,
      `${LEASES}: a job whose lease expired is taken over, and the writes of its first worker are refused`,
      `${LEASES}: two servers process many jobs, none twice`,
    ),
    shown(
      'Jobs: deleting a memory cancels its job; a server that stops releases its jobs uncounted',
      `${LEASES}: deleting a memory cancels its running job, and the writes of its worker are refused`,
      `${LEASES}: a server that stops releases its job, uncounted`,
      'faults/kill.test.ts: a server that shuts down releases its jobs',
    ),
    shown(
      'Jobs: finished ones are purged by age and status, and only counted on request',
      'store/jobs/purge.test.ts: deletes finished jobs that are old enough, of the given statuses, with their attempts',
      'store/jobs/purge.test.ts: keeps the jobs of memories that are yet to be processed',
      'store/jobs/purge.test.ts: a dry run counts the same and removes nothing, across batches',
      'contract/system/admin.scenarios.ts: purge takes statuses with and without their prefix, and finished ones only',
    ),
    shown(
      'Chunks are listed by memory and by space, in order, with their vectors on request',
      `${CHUNKS}: by memory and sequence, in pages without gap or overlap`,
      `${CHUNKS}: vectors come as stored, one for each embedder, when asked for`,
      `${CHUNKS}: permissions to read them, and invalid requests`,
    ),
    shown(
      'Memories are listed by status and filter, in four orders, with content and history on request',
      `${LISTS}: lists are filtered, sorted and paged`,
      `${LISTS}: content and history are included on request`,
      `${LISTS}: invalid parameters are refused`,
    ),
    shown(
      'Batches: 1 to 1000 items in their order, which succeed or fail one by one; a filter deletes all or nothing',
      `${LISTS}: create: one by one, in order, with a status for each`,
      `${LISTS}: get: existing and missing memories`,
      `${LISTS}: delete: by id`,
      `${LISTS}: delete: by filter, all or nothing`,
      `${LISTS}: a malformed envelope is refused as a whole`,
      `${CONTENT}: batch multipart: files are found by their fields; each item succeeds or fails`,
    ),
    shown(
      'Text is taken from text types, HTML, Markdown and CSV; other types end FAILED with a reason and keep their content',
      'unit/server/workers/extract/extract-text.test.ts: covers text types and their variants',
      'unit/server/workers/extract/extract-text.test.ts: follows the charset, else the byte order mark, else UTF-8',
      'unit/server/workers/extract/extract-text.test.ts: keeps the title first and leaves out invisible elements',
      'unit/server/workers/extract/extract-text.test.ts: repeat the header names in each row',
      `${MEMORIES}: an unsupported content type ends FAILED, with a reason, and keeps its content`,
    ),
    shown(
      'The declared type is checked against the bytes, and text has a largest length',
      'unit/server/workers/extract/extract-text.test.ts: is of another type than declared',
      'unit/server/workers/extract/extract-text.test.ts: is limited: more than outputCharacters fails and names the limit',
    ),
    planned('E-mail, PDF, RTF, DOCX, PPTX, XLSX, ODT and EPUB are read, and images through OCR', 'documents and OCR'),
  ],
};
