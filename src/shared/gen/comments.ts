// @generated from the comments of the proto files
/** What users read about a service, method, message, field, enum or value, by its full name. */
export const COMMENTS: Readonly<Record<string, string>> = {
  "service.v1.AbstractReply.relevance_score":
    "Always 0.",
  "service.v1.ActiveLicense.sha256":
    "In lower-case hexadecimal.",
  "service.v1.AdminService":
    "Server administration.",
  "service.v1.AdminService.Drain":
    "Refuses new writes and lets the running work finish. There is no way back but a restart.",
  "service.v1.AdminService.PurgeBackgroundJobs":
    "Removes finished jobs and their attempts, oldest first. Jobs of memories whose processing has not ended are kept.",
  "service.v1.AdminService.ReloadLicense":
    "Reads the license directory again. Of its `*.json` files the last name in order counts.",
  "service.v1.ApiKey.key_prefix":
    "The first 8 characters of the raw key.",
  "service.v1.ApiKey.last_used_at":
    "Written at most once a minute.",
  "service.v1.ApiKey.user_id":
    "The owner.",
  "service.v1.ApiKeyCredential":
    "A secret sent in a header of each call.",
  "service.v1.ApiKeyCredential.header_name":
    "Authorization when left out.",
  "service.v1.ApiKeyCredential.inline_secret":
    "Exactly one of inline_secret and secret_ref.",
  "service.v1.ApiKeyCredential.prefix":
    "\"Bearer \" with the Authorization header, \"\" with any other.",
  "service.v1.ApiKeyService":
    "Create and manage the keys that authenticate every call.",
  "service.v1.ApiKeyService.CreateApiKey":
    "Creates a key. The raw value is in this response and nowhere else, ever.",
  "service.v1.ApiKeyService.DeleteApiKey":
    "Deletes a key for good. It stops authenticating at once.",
  "service.v1.ApiKeyService.ListApiKeys":
    "Lists a user's keys, newest first: metadata only.",
  "service.v1.ApiKeyService.UpdateApiKey":
    "Changes status or labels. An INACTIVE key stops authenticating at once.",
  "service.v1.BatchMemoryResponse.results":
    "In the order of the request.",
  "service.v1.BatchMemoryResponse.total_deleted":
    "Only for deletes.",
  "service.v1.BatchMemoryResult.deleted_count":
    "Only for deletes.",
  "service.v1.Chunk.chunk_sequence_number":
    "From 0.",
  "service.v1.Chunk.neighbors":
    "The chunks around it; only when neighbours were asked for.",
  "service.v1.Chunk.start_offset":
    "Code points in the extracted text; the end is exclusive.",
  "service.v1.Chunk.vectors":
    "Only when vectors were asked for.",
  "service.v1.ChunkVector.values":
    "As stored: unit length, half precision.",
  "service.v1.ChunkingConfig":
    "How content is cut into chunks. Exactly one member.",
  "service.v1.ChunkingConfig.none":
    "The whole content as one chunk.",
  "service.v1.ChunkingConfig.recursive":
    "Split by separators in order of preference, then join up to the size.",
  "service.v1.ChunkingConfig.sentence":
    "Whole sentences joined up to the size.",
  "service.v1.ContentChunk":
    "Bytes of a document in order. Only the first piece carries the media type.",
  "service.v1.CreateApiKeyRequest.api_key_id":
    "The id to give the key; generated when left out.",
  "service.v1.CreateApiKeyRequest.expires_at":
    "When the key stops working; never when left out. Must be in the future.",
  "service.v1.CreateApiKeyRequest.user_id":
    "Whose key; the caller's when left out. Another user needs CREATE_APIKEY_ANY.",
  "service.v1.CreateApiKeyResponse.raw_api_key":
    "Shown once; cannot be recovered.",
  "service.v1.CreateEmbedderRequest.api_path":
    "Appended to the URL as it is; each provider has its default.",
  "service.v1.CreateEmbedderRequest.dimensionality":
    "Required, except for BUILTIN (1024). Up to 4000 is indexed, beyond is scanned exactly.",
  "service.v1.CreateEmbedderRequest.endpoint_url":
    "Required, except for BUILTIN.",
  "service.v1.CreateEmbedderRequest.max_sequence_length":
    "Longer inputs are cut before the call.",
  "service.v1.CreateLLMRequest.client_config":
    "Merged into the body of each call to the provider.",
  "service.v1.CreateLLMResponse.statuses":
    "What was inferred, one LLM_CAPABILITY_INFERRED each.",
  "service.v1.CreateMemoryRequest.chunking_config":
    "The space's when left out.",
  "service.v1.CreateMemoryRequest.content_type":
    "Required, except for a file part of a multipart request that has a type of its own.",
  "service.v1.CreateMemoryRequest.expires_at":
    "0 means never, whatever the space says.",
  "service.v1.CreateMemoryRequest.extract_page_images":
    "Keep an image of each page of a PDF or of an image.",
  "service.v1.CreateMemoryRequest.file_field":
    "Names the file part of this item; batch multipart only.",
  "service.v1.CreateMemoryRequest.memory_id":
    "Create-if-absent: a repeat with the same id answers ALREADY_EXISTS.",
  "service.v1.CreateMemoryRequest.original_content":
    "In JSON: originalContent as text or originalContentB64 as base64, exactly one of the two.",
  "service.v1.CreateMemoryRequest.original_content_ref":
    "A note about where the content came from; never fetched.",
  "service.v1.CreateMemoryRequest.wait_ms":
    "How long to wait for the end of processing, in milliseconds.",
  "service.v1.CreateRerankerRequest.provider_type":
    "VLLM, TEI, LLAMA_CPP, VOYAGE, COHERE or JINA.",
  "service.v1.CreateSpaceRequest.default_chunking_config":
    "Recursive, 512 characters with 64 overlap, when left out.",
  "service.v1.CreateSpaceRequest.embedder_id":
    "Short form of one embedder with weight 1.0.",
  "service.v1.CreateSpaceRequest.name":
    "Unique per owner, case-sensitive.",
  "service.v1.CreateSpaceRequest.owner_id":
    "The caller when left out; another owner needs CREATE_SPACE_ANY.",
  "service.v1.CreateSpaceRequest.space_embedders":
    "The default embedder when left out.",
  "service.v1.CreateUserRequest.email":
    "Unique without regard to case.",
  "service.v1.CreateUserRequest.role":
    "USER when left out. ROOT cannot be assigned.",
  "service.v1.Credentials":
    "How the server authenticates to an inference endpoint. Never part of a response.",
  "service.v1.DiagnosisCheck.message":
    "What was found.",
  "service.v1.DiagnosisCheck.name":
    "database_version, extension_version, indexes, embedders, clock_skew, tls_expiry, disk or jobs.",
  "service.v1.DiagnosisCheck.remedy":
    "What to do; \"\" with OK.",
  "service.v1.DrainRequest.reason":
    "Goes into the log of the server.",
  "service.v1.DrainRequest.timeout_sec":
    "How long to wait for the running work, in seconds; 900 when left out.",
  "service.v1.DrainRequest.wait_for_quiesce":
    "Answer only once no request or job is running, or the time is over.",
  "service.v1.DrainResponse.message":
    "What is still running; left out once nothing is.",
  "service.v1.DrainResponse.quiesced":
    "No request and no job is running any more.",
  "service.v1.EmbedderService":
    "Text and document embedding endpoints.",
  "service.v1.EmbedderService.CreateEmbedder":
    "Registers an endpoint. It is not called; ping does that.",
  "service.v1.EmbedderService.DeleteEmbedder":
    "Refused while a space uses it.",
  "service.v1.EmbedderService.ListEmbedders":
    "The caller's own and the shared ones, newest first.",
  "service.v1.EmbedderWeight.weight":
    "Any finite number.",
  "service.v1.Format.FORMAT_LABELS":
    "Label keys have 1 to 255 code points, values 0 to 255.",
  "service.v1.Format.FORMAT_URL":
    "An http or https URL.",
  "service.v1.Format.FORMAT_USERNAME":
    "Letters, digits, dot, underscore and hyphen.",
  "service.v1.Format.FORMAT_UUID":
    "A UUID in text form; upper case is accepted and lowered.",
  "service.v1.GcpAdcCredential":
    "Application default credentials of Google Cloud.",
  "service.v1.GetUserRequest":
    "No field selects the caller; user_id wins over email.",
  "service.v1.HnswOptions":
    "How the approximate index is searched. Ignored where a space is scanned exactly.",
  "service.v1.InitializeSystemResponse.root_api_key":
    "Shown once; cannot be recovered.",
  "service.v1.IterativeScan.ITERATIVE_SCAN_RELAXED_ORDER":
    "Better recall for selective filters, looser ranking.",
  "service.v1.IterativeScan.ITERATIVE_SCAN_STRICT_ORDER":
    "Stricter order, may lower recall.",
  "service.v1.IterativeScan.ITERATIVE_SCAN_UNSPECIFIED":
    "The server default, strict order.",
  "service.v1.JobAttempt.error_stacktrace":
    "Only for callers with READ_MEMORY_ANY.",
  "service.v1.JobAttempt.ok":
    "Absent while running.",
  "service.v1.JsonForm":
    "How a field is written in JSON when the ordinary mapping does not apply.",
  "service.v1.JsonForm.JSON_FORM_HTTP_STATUS":
    "A google.rpc.Status as {code, message} with the HTTP status as the code.",
  "service.v1.JsonForm.JSON_FORM_ISO_TIME":
    "A time as ISO 8601 text, where other times are epoch milliseconds.",
  "service.v1.JsonForm.JSON_FORM_NULL_WHEN_UNSET":
    "`null` when unset, where other unset fields are left out.",
  "service.v1.JsonForm.JSON_FORM_TEXT_OR_BASE64":
    "Two JSON names for one bytes field: `name` holds text, `nameB64` holds base64.",
  "service.v1.KeepStrategy.KEEP_END":
    "The separator ends the left piece.",
  "service.v1.KeepStrategy.KEEP_NONE":
    "An old name; acts as KEEP_END.",
  "service.v1.KeepStrategy.KEEP_START":
    "The separator starts the right piece.",
  "service.v1.KeyRestrictions":
    "What a key may not do although its user may.",
  "service.v1.KeyRestrictions.read_only":
    "Only READ and LIST operations and retrieval.",
  "service.v1.KeyRestrictions.space_ids":
    "Only these spaces and their memories; empty means every space.",
  "service.v1.LLMCapabilities":
    "Left out members are inferred from the model's name.",
  "service.v1.LLMService":
    "Large language models that write summaries.",
  "service.v1.LLMService.CreateLLM":
    "Registers an endpoint. It is not called; ping does that.",
  "service.v1.Labels":
    "A replacement or an addition of labels.",
  "service.v1.LatencySummary.errors":
    "How many of them failed.",
  "service.v1.LengthMeasurement.CHARACTER_COUNT":
    "Unicode code points.",
  "service.v1.LengthMeasurement.CUSTOM":
    "Reserved; refused.",
  "service.v1.LengthMeasurement.TOKEN_COUNT":
    "o200k_base tokens, whatever the embedder.",
  "service.v1.ListApiKeysRequest.user_id":
    "Another user's keys; needs LIST_APIKEY_ANY. The caller's own when left out.",
  "service.v1.ListMemoriesRequest.filter":
    "An expression of the filter language.",
  "service.v1.ListMemoriesRequest.sort_by":
    "created_at, updated_at, content_type or processing_status.",
  "service.v1.ListMemoryPageImagesRequest.end_page_index":
    "Inclusive.",
  "service.v1.ListSpacesRequest.label":
    "All must match. Written label.<key>=<value> in a REST query.",
  "service.v1.ListSpacesRequest.name_filter":
    "Glob over the whole name, ignoring case: * any run, ? one character, \\ escapes.",
  "service.v1.ListSpacesRequest.public_read":
    "The public spaces of all owners; not together with owner_id.",
  "service.v1.ListSpacesRequest.sort_by":
    "created_time, updated_time or name.",
  "service.v1.Memory.chunking_config":
    "As given at creation.",
  "service.v1.Memory.original_content":
    "Base64 of the raw bytes in JSON; only when it was asked for.",
  "service.v1.Memory.original_content_sha256":
    "Lower-case hex.",
  "service.v1.MemoryFilterSelector":
    "Every memory of a space that matches; deleted all or nothing.",
  "service.v1.MemoryService":
    "Store, read, delete and retrieve memories.",
  "service.v1.MemoryService.BatchCreateMemory":
    "Up to 1000 creates; items succeed or fail one by one.",
  "service.v1.MemoryService.CreateMemory":
    "Stores content. Extraction, chunking and embedding follow in the background.",
  "service.v1.MemoryService.GetMemoryContent":
    "The content exactly as it was stored.",
  "service.v1.MemoryService.GetMemoryText":
    "The extracted text, into which the offsets of chunks point.",
  "service.v1.MemoryService.ListChunks":
    "The chunks of one memory, or of all memories of a space.",
  "service.v1.MemoryService.ReprocessMemory":
    "Processes a COMPLETED or FAILED memory again from its stored content.",
  "service.v1.MemoryService.RetrieveMemory":
    "Finds the chunks nearest in meaning to a message and streams them.",
  "service.v1.MemoryService.UpdateMemory":
    "Changes metadata or expiry. The content is immutable.",
  "service.v1.OcrBox":
    "Pixels of the rendered page.",
  "service.v1.OcrDocumentRequest.end_page":
    "Inclusive; the last page when left out.",
  "service.v1.OcrDocumentRequest.format":
    "AUTO when left out.",
  "service.v1.OcrDocumentRequest.start_page":
    "From 0; the first page when left out.",
  "service.v1.OcrDocumentResponse.page_count":
    "The number of pages returned.",
  "service.v1.OcrLayout.cells":
    "In reading order.",
  "service.v1.OcrPageResult.page_index":
    "In the original document, from 0.",
  "service.v1.OcrPageStatus":
    "Why a page failed; the code is a gRPC status number.",
  "service.v1.OcrService":
    "Layout-aware recognition of documents and images, when the add-on is configured.",
  "service.v1.PingConfig.count":
    "Number of probes; 4 when left out or 0, at most 100.",
  "service.v1.PingConfig.interval_ms":
    "Between the starts of two probes; 1000 when left out or 0, at least 10.",
  "service.v1.PingConfig.jitter":
    "Vary the interval by up to 20 percent.",
  "service.v1.PingConfig.labels":
    "Copied to the metadata of each result.",
  "service.v1.PingConfig.max_in_flight":
    "Probes under way at once; 1 when left out or 0, at most 16.",
  "service.v1.PingConfig.payload":
    "\"ping\", repeated to the size, when left out. Not together with payload_size_bytes.",
  "service.v1.PingConfig.payload_size_bytes":
    "64 when left out, at most 1048576.",
  "service.v1.PingConfig.timeout_ms":
    "Of one probe; 5000 when left out or 0, at most 60000.",
  "service.v1.PingResult.http_status":
    "Left out when no response came.",
  "service.v1.PingResult.seq":
    "From 1.",
  "service.v1.PingService":
    "Probe inference endpoints: one small real call each.",
  "service.v1.PingService.Ping":
    "The first message is a config; PAUSE, RESUME and CANCEL may follow. Ends with the summary.",
  "service.v1.PingService.PingOnce":
    "One probe.",
  "service.v1.PingTiming.server_received_time_unix_nanos":
    "0 when the target reports none.",
  "service.v1.PoolStatus.waiting":
    "Calls that wait for a connection.",
  "service.v1.PostProcessor.name":
    "The chat post processor when left out.",
  "service.v1.ProcessingHistory.attempts":
    "Newest first.",
  "service.v1.ProviderType":
    "Who runs an inference endpoint, which decides the wire format of its calls.",
  "service.v1.ProviderType.PROVIDER_TYPE_BUILTIN":
    "The deterministic lexical embedder inside the server.",
  "service.v1.ProviderType.PROVIDER_TYPE_ONNX":
    "A sentence-embedding model directory run inside the server.",
  "service.v1.PurgeBackgroundJobsRequest.dry_run":
    "Only count what would be removed.",
  "service.v1.PurgeBackgroundJobsRequest.limit":
    "The most jobs to remove; 0 means no limit.",
  "service.v1.PurgeBackgroundJobsRequest.older_than":
    "ISO 8601 in JSON; at least one hour ago.",
  "service.v1.PurgeBackgroundJobsRequest.statuses":
    "SUCCEEDED, FAILED and CANCELED when left out.",
  "service.v1.PurgeBackgroundJobsResponse.dry_run":
    "Nothing was removed.",
  "service.v1.PurgeBackgroundJobsResponse.references_purged":
    "Removed jobs whose memory still exists: its processing history no longer shows them.",
  "service.v1.RecursiveChunking.chunk_overlap":
    "How much of the end of a chunk is repeated in the next one, in whole pieces. Less than chunk_size.",
  "service.v1.RecursiveChunking.chunk_size":
    "The hard maximum of a chunk, overlap included.",
  "service.v1.RecursiveChunking.separators":
    "In order of preference; \"\" cuts between characters. Empty means paragraph, line, space, character.",
  "service.v1.ReloadLicenseResponse.Status.STATUS_FAILED":
    "The file cannot be used; the one that was in force stays.",
  "service.v1.ReloadLicenseResponse.Status.STATUS_LOADED":
    "Another file is in force now; requests are counted anew.",
  "service.v1.ReloadLicenseResponse.Status.STATUS_NOT_FOUND":
    "There is no license; the built-in defaults hold.",
  "service.v1.ReloadLicenseResponse.Status.STATUS_UNCHANGED":
    "The same file is in force as before.",
  "service.v1.ReloadLicenseResponse.active_license":
    "The file in force.",
  "service.v1.RerankerService":
    "Endpoints that order results by relevance.",
  "service.v1.RerankerService.CreateReranker":
    "Registers an endpoint. It is not called; ping does that.",
  "service.v1.ResultSetBoundary.expected_items":
    "On BEGIN: how many items follow.",
  "service.v1.RetrieveMemoryEvent.memory_definition":
    "The memory of the items that follow, sent once.",
  "service.v1.RetrieveMemoryRequest.context":
    "Prior turns of the conversation, oldest first.",
  "service.v1.RetrieveMemoryRequest.explain":
    "End the stream with a status EXPLAIN that holds stage times and the kind of each scan.",
  "service.v1.RetrieveMemoryRequest.fetch_memory":
    "Send a memoryDefinition before the first item of each memory; true when left out.",
  "service.v1.RetrieveMemoryRequest.logging":
    "Accepted and ignored.",
  "service.v1.RetrieveMemoryRequest.max_per_memory":
    "The most chunks of one memory; 0 means no limit.",
  "service.v1.RetrieveMemoryRequest.message":
    "The question.",
  "service.v1.RetrievedItem.memory_index":
    "Counts memories in the order of their first appearance, from 0.",
  "service.v1.RetrievedItem.relevance_score":
    "Higher is better; may be negative.",
  "service.v1.Rules":
    "What a value must look like. Checked on both wires before a handler runs, and published in the API description.",
  "service.v1.Rules.clamp":
    "A number outside its bounds is moved to the nearest bound instead of being refused.",
  "service.v1.Rules.max_json_bytes":
    "The most bytes that an object may take as JSON.",
  "service.v1.Rules.min":
    "Bounds of a number, inclusive.",
  "service.v1.Rules.min_items":
    "Bounds on the number of list items, map entries or top-level members of an object.",
  "service.v1.Rules.min_len":
    "Bounds of a text in Unicode code points, or of a bytes value in bytes.",
  "service.v1.Rules.positive":
    "The number must be above zero.",
  "service.v1.Rules.refuse_empty":
    "JSON refuses an empty list, which could be taken for one that was left out.",
  "service.v1.Rules.required":
    "The value must be given (a string must not be left out; \"\" is judged by min_len).",
  "service.v1.SearchOptions.text_weight":
    "Weight of the text ranking in HYBRID; 0.3 when left out.",
  "service.v1.SecretRef":
    "Where the server reads a secret at each call.",
  "service.v1.SecretRef.uri":
    "env://NAME or file:///path.",
  "service.v1.SentenceChunking.enable_language_detection":
    "Picks the sentence rules by language; otherwise neutral Unicode rules.",
  "service.v1.SentenceChunking.min_chunk_size":
    "A shorter chunk joins its neighbour when the result fits. At most max_chunk_size.",
  "service.v1.Space.public_read":
    "Every authenticated user may read the space and retrieve from it.",
  "service.v1.Space.retention_days":
    "Default lifetime of its memories.",
  "service.v1.SpaceEmbedderSelection.default_retrieval_weight":
    "1.0 when left out; any finite number.",
  "service.v1.SpaceKey":
    "One space to search, with what applies to it alone.",
  "service.v1.SpaceKey.filter":
    "An expression of the filter language; blank means none.",
  "service.v1.SpaceService":
    "Create and manage the spaces that hold memories.",
  "service.v1.SpaceService.DeleteSpace":
    "Deletes a space with its memories, chunks and jobs.",
  "service.v1.SpaceService.UpdateSpace":
    "Changes name, visibility, labels or retention. Everything else is immutable.",
  "service.v1.Status":
    "A remark inside a stream or a response that is not an error of the call.",
  "service.v1.SystemInfo.build_time":
    "ISO 8601.",
  "service.v1.SystemInfo.dirty":
    "Built from a tree with uncommitted changes.",
  "service.v1.SystemService":
    "System information and initialization.",
  "service.v1.SystemService.Diagnose":
    "Checks what commonly goes wrong and says how to mend it.",
  "service.v1.SystemService.GetSystemInfo":
    "The version; with a key also the build and its capabilities.",
  "service.v1.SystemService.GetSystemStatus":
    "Counts, queues, pools and latencies of the answering server.",
  "service.v1.SystemService.InitializeSystem":
    "Creates the root user and its key on a fresh server. Only the first call returns the key.",
  "service.v1.SystemStatus.counts":
    "Users, spaces and memories; exact up to 50,000, beyond that the database's estimate.",
  "service.v1.SystemStatus.database":
    "embedded or external.",
  "service.v1.SystemStatus.jobs":
    "Jobs that are PENDING, RUNNING or FAILED, counted likewise.",
  "service.v1.SystemStatus.pools":
    "Connections of the answering server: main for requests, background for jobs.",
  "service.v1.SystemStatus.requests":
    "Per operation, over the last minute.",
  "service.v1.SystemStatus.stages":
    "Per stage of a retrieval, over the last minute.",
  "service.v1.SystemStatus.state":
    "STARTING, READY, DRAINING or QUIESCED.",
  "service.v1.SystemStatus.uptime_ms":
    "Milliseconds since the process started.",
  "service.v1.UpdateApiKeyRequest.merge_labels":
    "Adds or overwrites labels.",
  "service.v1.UpdateApiKeyRequest.replace_labels":
    "Replaces all labels; {} clears them.",
  "service.v1.UpdateEmbedderRequest.credentials":
    "Kept when left out.",
  "service.v1.UpdateEmbedderRequest.supported_modalities":
    "Empty changes nothing.",
  "service.v1.UpdateLLMRequest.capabilities":
    "Replaces the whole object.",
  "service.v1.UpdateLLMRequest.client_config":
    "Replaces the whole object.",
  "service.v1.UpdateLLMRequest.credentials":
    "Kept when left out.",
  "service.v1.UpdateLLMRequest.default_sampling_params":
    "Replaces the whole object.",
  "service.v1.UpdateLLMRequest.supported_modalities":
    "Empty changes nothing.",
  "service.v1.UpdateMemoryRequest.expires_at":
    "0 means never.",
  "service.v1.UpdateMemoryRequest.merge_metadata":
    "Adds or overwrites top-level members; a null value removes the member.",
  "service.v1.UpdateMemoryRequest.replace_metadata":
    "Replaces all metadata; {} clears it.",
  "service.v1.UpdateRerankerRequest.credentials":
    "Kept when left out.",
  "service.v1.UpdateRerankerRequest.supported_modalities":
    "Empty changes nothing.",
  "service.v1.UpdateSpaceRequest.retention_days":
    "0 removes it; memories that exist keep their own expiry.",
  "service.v1.UserService":
    "User management and roles.",
  "service.v1.UserService.CreateUser":
    "Creates a user. It has no key yet: make one with CreateApiKey and its user_id.",
  "service.v1.UserService.DeleteUser":
    "Deletes a user and all its keys. Refused while the user owns anything.",
  "service.v1.UserService.GetUser":
    "Reads a user by id or e-mail address, or oneself.",
};
