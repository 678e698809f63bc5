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
      'Spaces: without embedders the oldest default one of root is taken; without one they must be given',
      'store/spaces/crud.test.ts: without an embedder the oldest default one of ROOT is taken',
      'contract/system/init.test.ts: the embedded database gets a default embedder, an external one does not',
    ),
    shown(
      'Spaces: description and retentionDays are shown when set; retentionDays and giveUpAfterMinutes change, the description not',
      `${SPACES}: description and retentionDays are shown when set; retentionDays can go again`,
      `${SPACES}: giveUpAfterMinutes is an hour unless told, and can be changed`,
      `${SPACES}: what cannot change says so`,
    ),
    shown(
      'Spaces: deleting takes memories, chunks, vectors and jobs along, and nothing of another space',
      `${MEMORIES}: a space takes its memories along, also those under way`,
      'store/spaces/delete.test.ts: a space goes with everything in it, and nothing of another space goes',
      `${LEASES}: deleting the space does so too`,
    ),
    shown(
      'Spaces: lists show the own ones, those of others to whom may see them, and public ones to everybody',
      'contract/spaces/lists.scenarios.ts: others are listed by those who may, and public ones by everybody',
      'contract/permissions/permissions.test.ts: who sees what, over %s',
    ),
    shown(
      'Spaces: nameFilter is a glob over the whole name without case; three orders, newest first unless told',
      'contract/spaces/lists.scenarios.ts: nameFilter is a glob over the whole name, deaf to case',
      'contract/spaces/lists.scenarios.ts: newest first, or as asked',
      'store/spaces/list.test.ts: the glob %s',
    ),
    shown(
      'Chunking: nothing given is recursive, 512 with 64 overlap; none keeps the content as one chunk',
      'unit/server/service/chunking-config.test.ts: nothing given is recursive, 512 with 64 overlap',
      'unit/server/workers/chunk/chunk-text.test.ts: keeps the content as one chunk',
    ),
    shown(
      'Chunking: of its own config a memory is cut by that, and shows it',
      "store/memories/create.test.ts: a memory's own chunking config is kept and shown with all its fields",
      `${REPROCESS}: a COMPLETED memory is PENDING again and replaces what it had`,
    ),
    shown(
      'Chunking: chunks are exact slices of the text, at code points; white space alone is none',
      'unit/server/workers/chunk/chunk-text.test.ts: holds the size, slices exactly, loses nothing and parts no character',
      'unit/server/workers/chunk/chunk-text.test.ts: drops chunks of white space only',
      'unit/server/workers/chunk/sentence.test.ts: holds the maximum, slices exactly, loses nothing and parts no character',
    ),
    shown(
      'Create: content as text or base64, exactly one of them, with metadata within bounds',
      `${MEMORIES}: content comes back byte for byte, text as it was extracted`,
      `${MEMORIES}: bad requests are refused with their fields`,
      `${CONTENT}: base64 that is none is refused; both alphabets are taken`,
    ),
    shown(
      'Create: as multipart in either order, with the name and type of the file as defaults',
      `${CONTENT}: multipart: either order of the parts, the file name in the metadata, its type as the default`,
      `${CONTENT}: multipart: what is missing or too much is refused`,
    ),
    shown(
      'Create: what answered 201 is committed, and an upload that breaks off leaves nothing',
      'faults/kill.test.ts: memories survive a server that is killed again and again',
      `${CONTENT}: an upload that breaks off leaves nothing behind`,
    ),
    shown(
      'Create: waitMs answers when processing has ended, or its time is over, or the server drains',
      `${MEMORIES}: waitMs gives the answer when processing has ended`,
      'store/ingest/process.test.ts: a batch waits for all of its items',
      'store/ingest/lifecycle.test.ts: waitMs ends with its time, and the answer shows the status of that moment',
      'store/ingest/lifecycle.test.ts: ends every wait, stops claiming and comes to rest',
    ),
    shown(
      'Content of up to its limit passes in parts, over both wires; more is PAYLOAD_TOO_LARGE and leaves nothing',
      `${CONTENT}: multipart: content and body have limits of their own`,
      'store/memories/create.test.ts: more than the limit is refused and nothing stays',
      'contract/memories/large-content.test.ts: 100 MB through multipart: stored as sent, in memory that does not grow with the file',
      'contract/memories/large-content.test.ts: 100 MB in one gRPC message: stored as sent, in memory for the message and one copy',
    ),
    shown(
      'Content is read with its type, hash, name and one range, and can do no harm in a browser',
      `${CONTENT}: content comes with its type, its hash and without the means to do harm`,
      `${CONTENT}: one range: %s`,
      `${CONTENT}: conditional requests`,
      `${CONTENT}: a stored type of somebody does not become a page of ours`,
    ),
    shown(
      'Expiry: by the space, the memory, or never; what has expired is gone at once, and swept with all that belongs to it',
      `${MEMORIES}: expiry: by the space, by the memory, or never; what has expired is gone at once`,
      `${UPDATE}: expiry is set, moved and lifted, and never lies in the past`,
      'store/ingest/lifecycle.test.ts: expired memories go with all that belongs to them, the others stay',
      'store/ingest/lifecycle.test.ts: a running server sweeps unasked',
      'contract/retrieval/retrieval.scenarios.ts: what is expired, deleted or not COMPLETED is not found',
    ),
    shown(
      'Update: metadata is replaced or merged, within bounds of the result; everything else is immutable; no job is made',
      `${UPDATE}: metadata is replaced or merged, member by member`,
      `${UPDATE}: the bounds hold for the result`,
      `${UPDATE}: everything else is immutable`,
      `${UPDATE}: filters see the new metadata; content, chunks and jobs stay as they were`,
      `${UPDATE}: merges at the same time are all kept`,
    ),
    shown(
      'Reprocess: COMPLETED and FAILED go back to PENDING with a new job, hidden until they are COMPLETED; anything else is refused',
      `${REPROCESS}: a COMPLETED memory is PENDING again and replaces what it had`,
      `${REPROCESS}: a FAILED memory is tried again; without a body or with an empty one`,
      `${REPROCESS}: of several at once one wins; the others hear that it is being processed`,
      'store/memories/reprocess.test.ts: only a processed memory is queued, and hidden from retrieval until it is processed again',
      'store/memories/reprocess.test.ts: a server that is killed in the middle leaves nothing doubled and nothing lost',
    ),
    shown(
      'The history shows the job and its attempts, and stacks to those who may read everything only',
      `${MEMORIES}: the history of a good one, as documented`,
      `${MEMORIES}: the stack of a failure is shown only to those who may read everything`,
      'store/ingest/process.test.ts: an unsupported type FAILS at once, and its content can be read',
    ),
    shown(
      'Jobs: five attempts, with waits from a second to ten minutes, a fifth more or less; what no repeat mends fails at once',
      'unit/server/service/ingest/failed-attempt.test.ts: after attempt %i it is %i ms, a fifth more or less',
      'unit/server/service/ingest/failed-attempt.test.ts: the fifth attempt is the last',
      `${RETRIES}: after five attempts the memory is FAILED`,
      `${RETRIES}: an error that no repeat mends is FAILED at once`,
    ),
    shown(
      'Jobs: a lease is renewed while the work goes on; when it runs out another worker takes over, and the first writes nothing more',
      `${LEASES}: a lease is renewed while the work goes on`,
      `${LEASES}: a job whose lease ran out is taken over, and its first worker can write nothing more`,
      `${LEASES}: two servers work through many jobs and do none twice`,
    ),
    shown(
      'Jobs: deleting a memory cancels its job; a server that stops gives its jobs back uncounted',
      `${LEASES}: deleting a memory cancels its running job, and its worker can write nothing more`,
      `${LEASES}: a server that stops gives its job back, uncounted`,
      'faults/kill.test.ts: a server that is told to stop gives its jobs back',
    ),
    shown(
      'Jobs: finished ones are purged by age and status, and only counted on request',
      'store/jobs/purge.test.ts: takes finished jobs that are old enough, of the given statuses, and their attempts',
      'store/jobs/purge.test.ts: keeps the jobs of memories that are yet to be processed',
      'store/jobs/purge.test.ts: a dry run counts the same and removes nothing, across batches',
      'contract/system/admin.scenarios.ts: purge takes statuses with and without their prefix, and finished ones only',
    ),
    shown(
      'Chunks are listed by memory and by space, in order, with their vectors on request',
      `${CHUNKS}: by memory and sequence, in pages that meet`,
      `${CHUNKS}: vectors come as stored, one for each embedder, when asked for`,
      `${CHUNKS}: who may read them, and what does not fit`,
    ),
    shown(
      'Memories are listed by status and filter, in four orders, with content and history on request',
      `${LISTS}: lists are filtered, sorted and paged`,
      `${LISTS}: content and history come along when asked`,
      `${LISTS}: what does not fit is refused`,
    ),
    shown(
      'Batches: 1 to 1000 items in their order, which succeed or fail one by one; a filter deletes all or nothing',
      `${LISTS}: create: one by one, in order, with a status for each`,
      `${LISTS}: get: what is there and what is not`,
      `${LISTS}: delete: by id`,
      `${LISTS}: delete: by filter, all or nothing`,
      `${LISTS}: an envelope that is none is refused as a whole`,
      `${CONTENT}: batch multipart: files are found by their fields; each item succeeds or fails`,
    ),
    shown(
      'Text is taken from text types, HTML, Markdown and CSV; other types end FAILED with a reason and keep their content',
      'unit/server/workers/extract/extract-text.test.ts: is what text types and their relatives are',
      'unit/server/workers/extract/extract-text.test.ts: follows the charset, else the byte order mark, else UTF-8',
      'unit/server/workers/extract/extract-text.test.ts: keeps the title first and leaves out what is not seen',
      'unit/server/workers/extract/extract-text.test.ts: make each row say what it means when there is a header',
      `${MEMORIES}: a type that nobody can read ends FAILED, with a reason, and keeps its content`,
    ),
    shown(
      'The declared type is held against the bytes, and text has a largest length',
      'unit/server/workers/extract/extract-text.test.ts: is of another type than declared',
      'unit/server/workers/extract/extract-text.test.ts: has an end: more than outputCharacters fails and names the limit',
    ),
    planned('E-mail, PDF, RTF, DOCX, PPTX, XLSX, ODT and EPUB are read, and images through OCR', 'documents and OCR'),
  ],
};
