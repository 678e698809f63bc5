// @generated from the comments of the proto files
/** What users read about a service, method, message, field, enum or value, by its full name. */
export const COMMENTS: Readonly<Record<string, string>> = {
  "service.v1.AbstractDelta":
    "A piece of a summary that is being written. The abstractReply that follows has the whole text; when a status such as SUMMARIZATION_FAILED comes instead of it, discard the pieces.",
  "service.v1.AbstractDelta.result_set_id":
    "The result set that is summarized.",
  "service.v1.AbstractDelta.text":
    "To be appended to the pieces before it.",
  "service.v1.AbstractReply":
    "The summary that an LLM wrote of the results.",
  "service.v1.AbstractReply.relevance_score":
    "Always 0.",
  "service.v1.AbstractReply.result_set_id":
    "The result set that it summarizes.",
  "service.v1.AbstractReply.text":
    "The summary; [1], [2] point at the results.",
  "service.v1.ActiveLicense":
    "The license file in force.",
  "service.v1.ActiveLicense.filename":
    "Its name in the license directory.",
  "service.v1.ActiveLicense.modified_at":
    "When the file was changed last.",
  "service.v1.ActiveLicense.sha256":
    "In lower-case hexadecimal.",
  "service.v1.ActiveLicense.size_bytes":
    "Its size in bytes.",
  "service.v1.AdminService":
    "Server administration.",
  "service.v1.AdminService.Drain":
    "Refuses new writes and lets the running work finish. Only a restart ends the drain.",
  "service.v1.AdminService.PurgeBackgroundJobs":
    "Removes finished jobs and their attempts, oldest first. Jobs of memories whose processing has not ended are kept.",
  "service.v1.AdminService.ReloadLicense":
    "Reads the license directory again. Of its `*.json` files the last name in order counts.",
  "service.v1.ApiKey":
    "The metadata of a key, without the key itself.",
  "service.v1.ApiKey.api_key_id":
    "The id of the key.",
  "service.v1.ApiKey.created_at":
    "When it was created.",
  "service.v1.ApiKey.created_by_id":
    "The user who created it.",
  "service.v1.ApiKey.expires_at":
    "When the key stops working; left out for never.",
  "service.v1.ApiKey.key_prefix":
    "The first 8 characters of the raw key.",
  "service.v1.ApiKey.labels":
    "Your own labels, for filters.",
  "service.v1.ApiKey.last_used_at":
    "When the key was last used; updated at most once a minute.",
  "service.v1.ApiKey.restrictions":
    "What the key may not do although its user may; left out when there is nothing.",
  "service.v1.ApiKey.status":
    "An INACTIVE key does not authenticate.",
  "service.v1.ApiKey.updated_at":
    "When it was changed last.",
  "service.v1.ApiKey.updated_by_id":
    "The user who changed it last.",
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
  "service.v1.ApiKeyCredential.secret_ref":
    "Needs the _ANY form of the write permission.",
  "service.v1.ApiKeyService":
    "Create and manage the keys that authenticate every call.",
  "service.v1.ApiKeyService.CreateApiKey":
    "Creates a key. The raw value is in this response only and is not stored.",
  "service.v1.ApiKeyService.DeleteApiKey":
    "Deletes a key for good. It stops authenticating at once.",
  "service.v1.ApiKeyService.GetApiKey":
    "Reads one key: metadata only.",
  "service.v1.ApiKeyService.ListApiKeys":
    "Lists a user's keys, newest first: metadata only.",
  "service.v1.ApiKeyService.UpdateApiKey":
    "Changes status or labels. An INACTIVE key stops authenticating at once.",
  "service.v1.BackgroundJob":
    "The processing of a memory in the background.",
  "service.v1.BackgroundJob.attempts":
    "Attempts so far.",
  "service.v1.BackgroundJob.job_id":
    "Its number.",
  "service.v1.BackgroundJob.job_type":
    "document_processor.",
  "service.v1.BackgroundJob.last_error":
    "Why the last attempt failed.",
  "service.v1.BackgroundJob.lease_until":
    "Until when no other worker may take the job over, unless its worker renews this.",
  "service.v1.BackgroundJob.locked_by":
    "The worker that holds it.",
  "service.v1.BackgroundJob.max_attempts":
    "The job fails when this many attempts have failed.",
  "service.v1.BackgroundJob.run_at":
    "When the next attempt is due.",
  "service.v1.BackgroundJob.status":
    "Where it stands.",
  "service.v1.BackgroundJob.updated_at":
    "When it changed last.",
  "service.v1.BatchCreateMemoryRequest.requests":
    "The memories to create.",
  "service.v1.BatchCreateMemoryRequest.wait_ms":
    "How long to wait for the end of processing of every item, in milliseconds.",
  "service.v1.BatchDeleteMemoryRequest.memory_ids":
    "The memories to delete. Not together with requests.",
  "service.v1.BatchDeleteMemoryRequest.requests":
    "What to delete, by id or by filter. Not together with memory_ids.",
  "service.v1.BatchDeleteSelector":
    "What one item deletes. Exactly one member.",
  "service.v1.BatchDeleteSelector.filter_selector":
    "Every memory that matches.",
  "service.v1.BatchDeleteSelector.memory_id":
    "One memory.",
  "service.v1.BatchGetMemoryRequest.include_content":
    "Whether to include the content, as base64.",
  "service.v1.BatchGetMemoryRequest.include_processing_history":
    "Whether to include the processing job and its attempts.",
  "service.v1.BatchGetMemoryRequest.memory_ids":
    "The memories to read.",
  "service.v1.BatchMemoryResponse":
    "The results of a batch, one for each of its items.",
  "service.v1.BatchMemoryResponse.results":
    "In the order of the request.",
  "service.v1.BatchMemoryResponse.total_deleted":
    "Only for deletes.",
  "service.v1.BatchMemoryResult":
    "The result of one item.",
  "service.v1.BatchMemoryResult.deleted_count":
    "Only for deletes.",
  "service.v1.BatchMemoryResult.error":
    "Why it failed.",
  "service.v1.BatchMemoryResult.memory":
    "The record, when a create or a read succeeded.",
  "service.v1.BatchMemoryResult.memory_id":
    "The memory of the item, where it is known.",
  "service.v1.BatchMemoryResult.request_index":
    "The position of the item in the request, from 0.",
  "service.v1.BatchMemoryResult.success":
    "Whether the item succeeded.",
  "service.v1.BinaryContent":
    "Bytes with their media type.",
  "service.v1.BinaryContent.content_type":
    "The media type.",
  "service.v1.BinaryContent.data":
    "The bytes.",
  "service.v1.CallLogging":
    "Accepted for compatibility, and ignored.",
  "service.v1.CallLogging.caller_attributes":
    "Ignored.",
  "service.v1.CallLogging.enabled":
    "Ignored.",
  "service.v1.Chunk":
    "A part of the extracted text of a memory: what is embedded and found.",
  "service.v1.Chunk.chunk_id":
    "The id of the chunk.",
  "service.v1.Chunk.chunk_sequence_number":
    "From 0.",
  "service.v1.Chunk.chunk_text":
    "An exact slice of the extracted text.",
  "service.v1.Chunk.created_at":
    "When it was created.",
  "service.v1.Chunk.created_by_id":
    "The user who created it.",
  "service.v1.Chunk.end_offset":
    "The offset after its last code point.",
  "service.v1.Chunk.memory_id":
    "The memory that it is part of.",
  "service.v1.Chunk.metadata":
    "Its place in the document. Of text of several lines: source_line_start, the line that it starts in, from 1. Of paged documents: which pages it is from.",
  "service.v1.Chunk.neighbors":
    "The chunks around it; only when neighbors were asked for.",
  "service.v1.Chunk.start_offset":
    "Code points in the extracted text; the end is exclusive.",
  "service.v1.Chunk.updated_at":
    "When it was changed last.",
  "service.v1.Chunk.updated_by_id":
    "The user who changed it last.",
  "service.v1.Chunk.vector_status":
    "Retrieval sees COMPLETED chunks only.",
  "service.v1.Chunk.vectors":
    "Only when vectors were asked for.",
  "service.v1.ChunkVector":
    "The vector of a chunk by one embedder.",
  "service.v1.ChunkVector.embedder_id":
    "The embedder that made it.",
  "service.v1.ChunkVector.values":
    "As stored: unit length, half precision.",
  "service.v1.ChunkVectors.vectors":
    "One for each embedder of the space.",
  "service.v1.ChunkingConfig":
    "How content is cut into chunks. Exactly one member. A memory with more than 100,000 chunks FAILS, and so does one whose chunks hold ten times its text, from 10 million characters on.",
  "service.v1.ChunkingConfig.none":
    "The whole content as one chunk.",
  "service.v1.ChunkingConfig.recursive":
    "Split by separators in order of preference, then join up to the size.",
  "service.v1.ChunkingConfig.sentence":
    "Whole sentences joined up to the size.",
  "service.v1.ContentChunk":
    "Bytes of a document in order. Only the first piece carries the media type.",
  "service.v1.ContentChunk.content_type":
    "The media type of the document.",
  "service.v1.ContentChunk.data":
    "The next bytes.",
  "service.v1.ContextItem":
    "A turn of the conversation. Exactly one member.",
  "service.v1.ContextItem.binary":
    "As bytes.",
  "service.v1.ContextItem.text":
    "As text.",
  "service.v1.CreateApiKeyRequest.api_key_id":
    "The id to give the key; generated when left out.",
  "service.v1.CreateApiKeyRequest.expires_at":
    "When the key stops working; never when left out. Must be in the future.",
  "service.v1.CreateApiKeyRequest.labels":
    "Up to 10 labels.",
  "service.v1.CreateApiKeyRequest.restrictions":
    "What the key may not do although its user may. Cannot be changed later.",
  "service.v1.CreateApiKeyRequest.user_id":
    "The owner of the key; the caller when left out. Another user needs CREATE_APIKEY_ANY.",
  "service.v1.CreateApiKeyResponse":
    "The new key and its record.",
  "service.v1.CreateApiKeyResponse.api_key_metadata":
    "The record of the key.",
  "service.v1.CreateApiKeyResponse.raw_api_key":
    "Shown once; cannot be recovered.",
  "service.v1.CreateEmbedderRequest.api_path":
    "Appended to the URL as it is; each provider has its default.",
  "service.v1.CreateEmbedderRequest.credentials":
    "How to authenticate; nothing is sent when left out.",
  "service.v1.CreateEmbedderRequest.description":
    "For people.",
  "service.v1.CreateEmbedderRequest.dimensionality":
    "Required, except for BUILTIN (1024). Up to 4000 is indexed, beyond is scanned exactly.",
  "service.v1.CreateEmbedderRequest.display_name":
    "For people.",
  "service.v1.CreateEmbedderRequest.distribution_type":
    "DENSE when left out. SPARSE is not supported.",
  "service.v1.CreateEmbedderRequest.embedder_id":
    "The id to give it; generated when left out. An id that exists already is refused.",
  "service.v1.CreateEmbedderRequest.endpoint_url":
    "Required, except for BUILTIN.",
  "service.v1.CreateEmbedderRequest.labels":
    "Up to 20 labels.",
  "service.v1.CreateEmbedderRequest.max_sequence_length":
    "Longer inputs are cut before the call.",
  "service.v1.CreateEmbedderRequest.model_identifier":
    "The model, as the provider names it.",
  "service.v1.CreateEmbedderRequest.monitoring_endpoint":
    "For your own notes; never called.",
  "service.v1.CreateEmbedderRequest.owner_id":
    "The caller when left out; another owner needs CREATE_EMBEDDER_ANY.",
  "service.v1.CreateEmbedderRequest.provider_type":
    "The provider of the endpoint, which decides the wire format of its calls.",
  "service.v1.CreateEmbedderRequest.supported_modalities":
    "TEXT when left out.",
  "service.v1.CreateEmbedderRequest.version":
    "For your own notes.",
  "service.v1.CreateLLMRequest.api_path":
    "The path of the call, appended to the address as it is; the provider's usual one when left out.",
  "service.v1.CreateLLMRequest.capabilities":
    "The capabilities of the model.",
  "service.v1.CreateLLMRequest.client_config":
    "Merged into the body of each call to the provider.",
  "service.v1.CreateLLMRequest.credentials":
    "How to authenticate; nothing is sent when left out.",
  "service.v1.CreateLLMRequest.default_sampling_params":
    "Sent with each call that does not set its own.",
  "service.v1.CreateLLMRequest.description":
    "For people.",
  "service.v1.CreateLLMRequest.display_name":
    "For people.",
  "service.v1.CreateLLMRequest.endpoint_url":
    "Its address, without the path of the call.",
  "service.v1.CreateLLMRequest.labels":
    "Up to 20 labels.",
  "service.v1.CreateLLMRequest.llm_id":
    "The id to give it; generated when left out. An id that exists already is refused.",
  "service.v1.CreateLLMRequest.max_context_length":
    "The most tokens that it can read.",
  "service.v1.CreateLLMRequest.model_identifier":
    "The model, as the provider names it.",
  "service.v1.CreateLLMRequest.monitoring_endpoint":
    "For your own notes; never called.",
  "service.v1.CreateLLMRequest.owner_id":
    "The caller when left out; another owner needs CREATE_LLM_ANY.",
  "service.v1.CreateLLMRequest.provider_type":
    "The provider of the endpoint, which decides the wire format of its calls.",
  "service.v1.CreateLLMRequest.supported_modalities":
    "TEXT when left out.",
  "service.v1.CreateLLMRequest.version":
    "For your own notes.",
  "service.v1.CreateLLMResponse":
    "The new LLM and what was inferred about it.",
  "service.v1.CreateLLMResponse.llm":
    "The record.",
  "service.v1.CreateLLMResponse.statuses":
    "What was inferred, one LLM_CAPABILITY_INFERRED each.",
  "service.v1.CreateMemoryRequest.chunking_config":
    "The space's when left out.",
  "service.v1.CreateMemoryRequest.content_type":
    "Required, except for a file part of a multipart request that has a type of its own.",
  "service.v1.CreateMemoryRequest.expires_at":
    "0 means never, even if the space has a default lifetime.",
  "service.v1.CreateMemoryRequest.extract_page_images":
    "Keep an image of each page of a PDF or of an image.",
  "service.v1.CreateMemoryRequest.file_field":
    "Names the file part of this item; batch multipart only.",
  "service.v1.CreateMemoryRequest.memory_id":
    "Create-if-absent: a repeat with the same id answers ALREADY_EXISTS.",
  "service.v1.CreateMemoryRequest.metadata":
    "Your own facts about the memory, for filters. May nest.",
  "service.v1.CreateMemoryRequest.original_content":
    "In JSON: originalContent as text or originalContentB64 as base64, exactly one of the two.",
  "service.v1.CreateMemoryRequest.original_content_ref":
    "A note about where the content came from; never fetched.",
  "service.v1.CreateMemoryRequest.space_id":
    "The space to store it in.",
  "service.v1.CreateMemoryRequest.wait_ms":
    "How long to wait for the end of processing, in milliseconds.",
  "service.v1.CreateRerankerRequest.api_path":
    "The path of the call, appended to the address as it is; the provider's usual one when left out.",
  "service.v1.CreateRerankerRequest.credentials":
    "How to authenticate; nothing is sent when left out.",
  "service.v1.CreateRerankerRequest.description":
    "For people.",
  "service.v1.CreateRerankerRequest.display_name":
    "For people.",
  "service.v1.CreateRerankerRequest.endpoint_url":
    "Its address, without the path of the call.",
  "service.v1.CreateRerankerRequest.labels":
    "Up to 20 labels.",
  "service.v1.CreateRerankerRequest.model_identifier":
    "The model, as the provider names it.",
  "service.v1.CreateRerankerRequest.monitoring_endpoint":
    "For your own notes; never called.",
  "service.v1.CreateRerankerRequest.owner_id":
    "The caller when left out; another owner needs CREATE_RERANKER_ANY.",
  "service.v1.CreateRerankerRequest.provider_type":
    "VLLM, TEI, LLAMA_CPP, VOYAGE, COHERE or JINA.",
  "service.v1.CreateRerankerRequest.reranker_id":
    "The id to give it; generated when left out. An id that exists already is refused.",
  "service.v1.CreateRerankerRequest.supported_modalities":
    "TEXT when left out.",
  "service.v1.CreateRerankerRequest.version":
    "For your own notes.",
  "service.v1.CreateSpaceRequest.default_chunking_config":
    "Recursive, 512 characters with 64 overlap, when left out.",
  "service.v1.CreateSpaceRequest.description":
    "Cannot be changed later.",
  "service.v1.CreateSpaceRequest.embedder_id":
    "Short form of one embedder with weight 1.0.",
  "service.v1.CreateSpaceRequest.give_up_after_minutes":
    "How long its memories wait for a provider that is unavailable, in minutes; 60 when left out.",
  "service.v1.CreateSpaceRequest.labels":
    "Up to 20 labels.",
  "service.v1.CreateSpaceRequest.name":
    "Unique per owner, case-sensitive.",
  "service.v1.CreateSpaceRequest.owner_id":
    "The caller when left out; another owner needs CREATE_SPACE_ANY.",
  "service.v1.CreateSpaceRequest.public_read":
    "Let every authenticated user read the space and retrieve from it.",
  "service.v1.CreateSpaceRequest.retention_days":
    "Default lifetime of its memories, in days; unlimited when left out.",
  "service.v1.CreateSpaceRequest.space_embedders":
    "The default embedder when left out.",
  "service.v1.CreateSpaceRequest.space_id":
    "The id to give it; generated when left out. An id that exists already is refused.",
  "service.v1.CreateSpaceRequest.vector_quantization":
    "What its vector index has of its vectors: all of them when left out. Cannot be changed later.",
  "service.v1.CreateUserRequest.display_name":
    "For people.",
  "service.v1.CreateUserRequest.email":
    "Unique without regard to case.",
  "service.v1.CreateUserRequest.role":
    "USER when left out. ROOT cannot be assigned.",
  "service.v1.CreateUserRequest.user_id":
    "The id to give it; generated when left out. An id that exists already is refused.",
  "service.v1.CreateUserRequest.username":
    "Unique.",
  "service.v1.Credentials":
    "How the server authenticates to an inference endpoint. Never part of a response.",
  "service.v1.Credentials.api_key":
    "With CREDENTIAL_KIND_API_KEY.",
  "service.v1.Credentials.gcp_adc":
    "With CREDENTIAL_KIND_GCP_ADC.",
  "service.v1.Credentials.kind":
    "Must fit the member that is given.",
  "service.v1.Credentials.labels":
    "Up to 20 labels, for your own notes.",
  "service.v1.DeleteApiKeyRequest.api_key_id":
    "The key.",
  "service.v1.DeleteEmbedderRequest.embedder_id":
    "The embedder.",
  "service.v1.DeleteLLMRequest.llm_id":
    "The LLM.",
  "service.v1.DeleteMemoryRequest.memory_id":
    "The memory.",
  "service.v1.DeleteRerankerRequest.reranker_id":
    "The reranker.",
  "service.v1.DeleteSpaceRequest.space_id":
    "The space.",
  "service.v1.DeleteUserRequest.user_id":
    "The user.",
  "service.v1.DiagnoseResponse":
    "The result of every check.",
  "service.v1.DiagnoseResponse.checks":
    "One for each check.",
  "service.v1.DiagnosisCheck":
    "One check for a common problem, with its result.",
  "service.v1.DiagnosisCheck.message":
    "What was found.",
  "service.v1.DiagnosisCheck.name":
    "database_version, extension_version, indexes, embedders, clock_skew, tls_expiry, disk or jobs.",
  "service.v1.DiagnosisCheck.remedy":
    "What to do; \"\" with OK.",
  "service.v1.DiagnosisCheck.status":
    "WARN: look at it soon. FAIL: something does not work.",
  "service.v1.DrainRequest.reason":
    "Reason to write into the log of the server.",
  "service.v1.DrainRequest.timeout_sec":
    "How long to wait for the running work, in seconds; 900 when left out.",
  "service.v1.DrainRequest.wait_for_quiesce":
    "Answer only once no request or job is running, or the time is over.",
  "service.v1.DrainResponse":
    "The progress of the drain.",
  "service.v1.DrainResponse.message":
    "What is still running; left out once nothing is.",
  "service.v1.DrainResponse.quiesced":
    "No request and no job is running any more.",
  "service.v1.DrainResponse.state":
    "The state of the server now.",
  "service.v1.Embedder":
    "An endpoint that turns text into vectors.",
  "service.v1.Embedder.api_path":
    "The path of the call, appended to the address as it is.",
  "service.v1.Embedder.created_at":
    "When it was created.",
  "service.v1.Embedder.created_by_id":
    "The user who created it.",
  "service.v1.Embedder.description":
    "For people; \"\" when there is none.",
  "service.v1.Embedder.dimensionality":
    "Length of its vectors.",
  "service.v1.Embedder.display_name":
    "For people.",
  "service.v1.Embedder.distribution_type":
    "Always DENSE.",
  "service.v1.Embedder.embedder_id":
    "The id of the embedder.",
  "service.v1.Embedder.endpoint_url":
    "Its address, without the path of the call.",
  "service.v1.Embedder.labels":
    "Your own labels, for filters.",
  "service.v1.Embedder.max_sequence_length":
    "In tokens; longer inputs are cut before the call.",
  "service.v1.Embedder.model_identifier":
    "The model, as the provider names it.",
  "service.v1.Embedder.monitoring_endpoint":
    "For your own notes; never called.",
  "service.v1.Embedder.owner_id":
    "The user who owns it.",
  "service.v1.Embedder.provider_type":
    "The provider of the endpoint, which decides the wire format of its calls.",
  "service.v1.Embedder.supported_modalities":
    "The modalities of its input.",
  "service.v1.Embedder.updated_at":
    "When it was changed last.",
  "service.v1.Embedder.updated_by_id":
    "The user who changed it last.",
  "service.v1.Embedder.version":
    "For your own notes; \"\" when there is none.",
  "service.v1.EmbedderService":
    "Text and document embedding endpoints.",
  "service.v1.EmbedderService.CreateEmbedder":
    "Registers an endpoint. It is not called; ping does that.",
  "service.v1.EmbedderService.DeleteEmbedder":
    "Deletes an embedder. Refused while a space uses it.",
  "service.v1.EmbedderService.GetEmbedder":
    "Reads one embedder.",
  "service.v1.EmbedderService.ListEmbedders":
    "Lists the caller's own embedders and the shared ones, newest first.",
  "service.v1.EmbedderService.UpdateEmbedder":
    "Changes an embedder; what is left out stays. While a space uses it, what its vectors depend on is refused.",
  "service.v1.EmbedderWeight":
    "The weight of one embedder in the score of a space.",
  "service.v1.EmbedderWeight.embedder_id":
    "An embedder of the space.",
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
  "service.v1.GcpAdcCredential.quota_project_id":
    "The project that is billed.",
  "service.v1.GcpAdcCredential.scopes":
    "OAuth scopes to ask for.",
  "service.v1.GetApiKeyRequest.api_key_id":
    "The key.",
  "service.v1.GetEmbedderRequest.embedder_id":
    "The embedder.",
  "service.v1.GetLLMRequest.llm_id":
    "The LLM.",
  "service.v1.GetMemoryContentRequest.memory_id":
    "The memory.",
  "service.v1.GetMemoryPageImageContentRequest.content_type":
    "Only an image of this media type.",
  "service.v1.GetMemoryPageImageContentRequest.dpi":
    "Only an image of this resolution.",
  "service.v1.GetMemoryPageImageContentRequest.memory_id":
    "The memory.",
  "service.v1.GetMemoryPageImageContentRequest.page_index":
    "From 0.",
  "service.v1.GetMemoryRequest.include_content":
    "Whether to include the content, as base64.",
  "service.v1.GetMemoryRequest.include_processing_history":
    "Whether to include the processing job and its attempts.",
  "service.v1.GetMemoryRequest.memory_id":
    "The memory.",
  "service.v1.GetMemoryTextRequest.memory_id":
    "The memory.",
  "service.v1.GetRerankerRequest.reranker_id":
    "The reranker.",
  "service.v1.GetSpaceRequest.include_statistics":
    "Whether to include how much the space holds. Counting takes time: 0.03 s for 100,000 memories, 0.12 s while they are new.",
  "service.v1.GetSpaceRequest.space_id":
    "The space.",
  "service.v1.GetUserRequest":
    "No field selects the caller; user_id wins over email.",
  "service.v1.GetUserRequest.email":
    "The e-mail address, without regard to case.",
  "service.v1.GetUserRequest.user_id":
    "The user.",
  "service.v1.HnswOptions":
    "How the approximate index is searched. Ignored where a space is scanned exactly.",
  "service.v1.HnswOptions.ef_search":
    "How many candidates the index keeps; 100 when left out. More finds more, and takes longer.",
  "service.v1.HnswOptions.iterative_scan":
    "Whether the scan goes on when the filter has left too few results.",
  "service.v1.HnswOptions.max_scan_tuples":
    "The most rows that such a scan visits; 20000 when left out.",
  "service.v1.HnswOptions.scan_mem_multiplier":
    "How much memory such a scan may take, as a multiple of work_mem; 1 when left out.",
  "service.v1.InitializeSystemResponse":
    "Whether the system was initialized by this call.",
  "service.v1.InitializeSystemResponse.already_initialized":
    "True for every call but the first.",
  "service.v1.InitializeSystemResponse.message":
    "A sentence for people.",
  "service.v1.InitializeSystemResponse.root_api_key":
    "Shown once; cannot be recovered.",
  "service.v1.InitializeSystemResponse.user_id":
    "The root user; only with the key.",
  "service.v1.IterativeScan.ITERATIVE_SCAN_RELAXED_ORDER":
    "Better recall for selective filters, looser ranking.",
  "service.v1.IterativeScan.ITERATIVE_SCAN_STRICT_ORDER":
    "Stricter order, may lower recall.",
  "service.v1.IterativeScan.ITERATIVE_SCAN_UNSPECIFIED":
    "The server default, strict order.",
  "service.v1.JobAttempt":
    "One attempt of a job.",
  "service.v1.JobAttempt.attempt_id":
    "Its number.",
  "service.v1.JobAttempt.error_message":
    "Why it failed.",
  "service.v1.JobAttempt.error_stacktrace":
    "Only for callers with READ_MEMORY_ANY.",
  "service.v1.JobAttempt.finished_at":
    "When it ended; left out while it runs.",
  "service.v1.JobAttempt.job_id":
    "The job that it belongs to.",
  "service.v1.JobAttempt.ok":
    "Absent while running.",
  "service.v1.JobAttempt.progress_current":
    "How far it came, in units.",
  "service.v1.JobAttempt.progress_total":
    "How many units there are, once that is known.",
  "service.v1.JobAttempt.progress_unit":
    "What is counted, such as chunks.",
  "service.v1.JobAttempt.progress_updated_at":
    "When the progress was noted.",
  "service.v1.JobAttempt.started_at":
    "When it began.",
  "service.v1.JobAttempt.status_message":
    "What it was doing last.",
  "service.v1.JobAttempt.worker_id":
    "Who made it.",
  "service.v1.JsonForm":
    "How a field is written in JSON when the ordinary mapping does not apply.",
  "service.v1.JsonForm.JSON_FORM_HTTP_STATUS":
    "A google.rpc.Status as {code, message} with the HTTP status as the code.",
  "service.v1.JsonForm.JSON_FORM_ISO_TIME":
    "A time as ISO 8601 text, where other times are epoch milliseconds.",
  "service.v1.JsonForm.JSON_FORM_NULL_WHEN_UNSET":
    "`null` when unset, where other unset fields are left out.",
  "service.v1.JsonForm.JSON_FORM_OMIT_WHEN_EMPTY":
    "A list that is left out when it is empty, where other lists are written as [].",
  "service.v1.JsonForm.JSON_FORM_TEXT_OR_BASE64":
    "Two JSON names for one bytes field: `name` holds text, `nameB64` holds base64.",
  "service.v1.KeepStrategy.KEEP_END":
    "The separator ends the left piece.",
  "service.v1.KeepStrategy.KEEP_NONE":
    "A deprecated name of KEEP_END.",
  "service.v1.KeepStrategy.KEEP_START":
    "The separator starts the right piece.",
  "service.v1.KeyRestrictions":
    "What a key may not do although its user may.",
  "service.v1.KeyRestrictions.read_only":
    "Only READ and LIST operations and retrieval.",
  "service.v1.KeyRestrictions.space_ids":
    "Only these spaces and their memories; empty means every space.",
  "service.v1.LLM":
    "An endpoint that writes text.",
  "service.v1.LLM.api_path":
    "The path of the call, appended to the address as it is.",
  "service.v1.LLM.capabilities":
    "The capabilities of the model.",
  "service.v1.LLM.client_config":
    "Merged into the body of each call to the provider.",
  "service.v1.LLM.created_at":
    "When it was created.",
  "service.v1.LLM.created_by_id":
    "The user who created it.",
  "service.v1.LLM.default_sampling_params":
    "Sent with each call that does not set its own.",
  "service.v1.LLM.description":
    "For people; \"\" when there is none.",
  "service.v1.LLM.display_name":
    "For people.",
  "service.v1.LLM.endpoint_url":
    "Its address, without the path of the call.",
  "service.v1.LLM.labels":
    "Your own labels, for filters.",
  "service.v1.LLM.llm_id":
    "The id of the LLM.",
  "service.v1.LLM.max_context_length":
    "The most tokens that it can read.",
  "service.v1.LLM.model_identifier":
    "The model, as the provider names it.",
  "service.v1.LLM.monitoring_endpoint":
    "For your own notes; never called.",
  "service.v1.LLM.owner_id":
    "The user who owns it.",
  "service.v1.LLM.provider_type":
    "The provider of the endpoint, which decides the wire format of its calls.",
  "service.v1.LLM.supported_modalities":
    "The modalities of its input.",
  "service.v1.LLM.updated_at":
    "When it was changed last.",
  "service.v1.LLM.updated_by_id":
    "The user who changed it last.",
  "service.v1.LLM.version":
    "For your own notes; \"\" when there is none.",
  "service.v1.LLMCapabilities":
    "Left out members are inferred from the model's name.",
  "service.v1.LLMCapabilities.supports_chat":
    "Takes lists of messages.",
  "service.v1.LLMCapabilities.supports_completion":
    "Takes a prompt without roles.",
  "service.v1.LLMCapabilities.supports_function_calling":
    "Can call functions.",
  "service.v1.LLMCapabilities.supports_sampling_parameters":
    "Takes temperature and the like.",
  "service.v1.LLMCapabilities.supports_streaming":
    "Can stream its answer.",
  "service.v1.LLMCapabilities.supports_system_messages":
    "Takes system messages.",
  "service.v1.LLMService":
    "Large language models that write summaries.",
  "service.v1.LLMService.CreateLLM":
    "Registers an endpoint. It is not called; ping does that.",
  "service.v1.LLMService.DeleteLLM":
    "Deletes an LLM.",
  "service.v1.LLMService.GetLLM":
    "Reads one LLM.",
  "service.v1.LLMService.ListLLMs":
    "Lists the caller's own LLMs and the shared ones, newest first.",
  "service.v1.LLMService.UpdateLLM":
    "Changes an LLM; what is left out stays.",
  "service.v1.Labels":
    "A replacement or an addition of labels.",
  "service.v1.Labels.labels":
    "The labels.",
  "service.v1.LatencySummary":
    "Calls and how long they took.",
  "service.v1.LatencySummary.count":
    "How many.",
  "service.v1.LatencySummary.errors":
    "How many of them failed.",
  "service.v1.LatencySummary.p50_ms":
    "The median, in milliseconds: half took at most this long.",
  "service.v1.LatencySummary.p99_ms":
    "The 99th percentile, in milliseconds: 99 percent took at most this long.",
  "service.v1.LengthMeasurement.CHARACTER_COUNT":
    "Unicode code points.",
  "service.v1.LengthMeasurement.CUSTOM":
    "Reserved; refused.",
  "service.v1.LengthMeasurement.TOKEN_COUNT":
    "o200k_base tokens, whatever the embedder.",
  "service.v1.ListApiKeysRequest.user_id":
    "Another user's keys; needs LIST_APIKEY_ANY. The caller's own when left out.",
  "service.v1.ListApiKeysResponse":
    "The keys of one user.",
  "service.v1.ListApiKeysResponse.keys":
    "Newest first.",
  "service.v1.ListChunksRequest.include_vectors":
    "Whether to include the vectors, as they are stored.",
  "service.v1.ListChunksRequest.max_results":
    "The most items of a page; 50 when left out.",
  "service.v1.ListChunksRequest.memory_id":
    "The memory whose chunks to list.",
  "service.v1.ListChunksRequest.next_token":
    "As the last page gave it; the first page when left out.",
  "service.v1.ListChunksRequest.space_id":
    "The space whose chunks to list.",
  "service.v1.ListChunksResponse":
    "One page of chunks, ordered by memory and position.",
  "service.v1.ListChunksResponse.chunks":
    "The chunks of this page.",
  "service.v1.ListChunksResponse.next_token":
    "Asks for the next page; null in JSON on the last one.",
  "service.v1.ListEmbeddersRequest.label":
    "All must match. Written label.<key>=<value> in a REST query.",
  "service.v1.ListEmbeddersRequest.owner_id":
    "Only what this user owns.",
  "service.v1.ListEmbeddersRequest.provider_type":
    "Only those of this provider.",
  "service.v1.ListEmbeddersResponse":
    "All embedders that fit, in one answer.",
  "service.v1.ListEmbeddersResponse.embedders":
    "Newest first.",
  "service.v1.ListLLMsRequest.label":
    "All must match. Written label.<key>=<value> in a REST query.",
  "service.v1.ListLLMsRequest.owner_id":
    "Only what this user owns.",
  "service.v1.ListLLMsRequest.provider_type":
    "Only those of this provider.",
  "service.v1.ListLLMsResponse":
    "All LLMs that fit, in one answer.",
  "service.v1.ListLLMsResponse.llms":
    "Newest first.",
  "service.v1.ListMemoriesRequest.filter":
    "An expression of the filter language.",
  "service.v1.ListMemoriesRequest.include_content":
    "Whether to include the content, as base64.",
  "service.v1.ListMemoriesRequest.include_processing_history":
    "Whether to include the processing job and its attempts.",
  "service.v1.ListMemoriesRequest.max_results":
    "The most items of a page; 50 when left out.",
  "service.v1.ListMemoriesRequest.next_token":
    "As the last page gave it; the first page when left out.",
  "service.v1.ListMemoriesRequest.sort_by":
    "created_at, updated_at, content_type or processing_status.",
  "service.v1.ListMemoriesRequest.sort_order":
    "DESCENDING when left out.",
  "service.v1.ListMemoriesRequest.space_id":
    "The space to list.",
  "service.v1.ListMemoriesRequest.status_filter":
    "Only memories with this status.",
  "service.v1.ListMemoriesResponse":
    "One page of memories.",
  "service.v1.ListMemoriesResponse.memories":
    "The memories of this page.",
  "service.v1.ListMemoriesResponse.next_token":
    "Asks for the next page; null in JSON on the last one.",
  "service.v1.ListMemoryPageImagesRequest.content_type":
    "Only images of this media type.",
  "service.v1.ListMemoryPageImagesRequest.dpi":
    "Only images of this resolution.",
  "service.v1.ListMemoryPageImagesRequest.end_page_index":
    "Inclusive.",
  "service.v1.ListMemoryPageImagesRequest.max_results":
    "The most items of a page; 50 when left out.",
  "service.v1.ListMemoryPageImagesRequest.memory_id":
    "The memory.",
  "service.v1.ListMemoryPageImagesRequest.next_token":
    "As the last page gave it; the first page when left out.",
  "service.v1.ListMemoryPageImagesRequest.start_page_index":
    "From 0; the first page when left out.",
  "service.v1.ListMemoryPageImagesResponse":
    "One page of page images.",
  "service.v1.ListMemoryPageImagesResponse.next_token":
    "Asks for the next page; null in JSON on the last one.",
  "service.v1.ListMemoryPageImagesResponse.page_images":
    "The page images of this page of the list.",
  "service.v1.ListRerankersRequest.label":
    "All must match. Written label.<key>=<value> in a REST query.",
  "service.v1.ListRerankersRequest.owner_id":
    "Only what this user owns.",
  "service.v1.ListRerankersRequest.provider_type":
    "Only those of this provider.",
  "service.v1.ListRerankersResponse":
    "All rerankers that fit, in one answer.",
  "service.v1.ListRerankersResponse.rerankers":
    "Newest first.",
  "service.v1.ListSpacesRequest.include_statistics":
    "Whether to include how much each space holds. Counting takes time: 0.03 s for 100,000 memories, 0.12 s while they are new.",
  "service.v1.ListSpacesRequest.label":
    "All must match. Written label.<key>=<value> in a REST query.",
  "service.v1.ListSpacesRequest.max_results":
    "The most items of a page; 50 when left out.",
  "service.v1.ListSpacesRequest.name_filter":
    "Glob over the whole name, ignoring case: * any run, ? one character, \\ escapes.",
  "service.v1.ListSpacesRequest.next_token":
    "As the last page gave it; the first page when left out.",
  "service.v1.ListSpacesRequest.owner_id":
    "Only the spaces of this owner; another than the caller needs LIST_SPACE_ANY.",
  "service.v1.ListSpacesRequest.public_read":
    "The public spaces of all owners; not together with owner_id.",
  "service.v1.ListSpacesRequest.sort_by":
    "created_time, updated_time or name.",
  "service.v1.ListSpacesRequest.sort_order":
    "DESCENDING when left out.",
  "service.v1.ListSpacesResponse":
    "One page of spaces.",
  "service.v1.ListSpacesResponse.next_token":
    "Asks for the next page; null in JSON on the last one.",
  "service.v1.ListSpacesResponse.spaces":
    "The spaces of this page.",
  "service.v1.ListUsersRequest.max_results":
    "The most items of a page; 50 when left out.",
  "service.v1.ListUsersRequest.next_token":
    "As the last page gave it; the first page when left out.",
  "service.v1.ListUsersResponse":
    "One page of users.",
  "service.v1.ListUsersResponse.next_token":
    "Asks for the next page; null in JSON on the last one.",
  "service.v1.ListUsersResponse.users":
    "The users of this page.",
  "service.v1.Memory":
    "Stored content and the state of its processing.",
  "service.v1.Memory.chunking_config":
    "As given at creation.",
  "service.v1.Memory.content_type":
    "The media type of the content.",
  "service.v1.Memory.created_at":
    "When it was created.",
  "service.v1.Memory.created_by_id":
    "The user who created it.",
  "service.v1.Memory.expires_at":
    "When the memory is deleted; left out for never.",
  "service.v1.Memory.failure_reason":
    "Why processing failed; only with the status FAILED.",
  "service.v1.Memory.memory_id":
    "The id of the memory.",
  "service.v1.Memory.metadata":
    "Your own facts about the memory, for filters; uploads set filename.",
  "service.v1.Memory.original_content":
    "Base64 of the raw bytes in JSON; only when it was asked for.",
  "service.v1.Memory.original_content_length":
    "In bytes.",
  "service.v1.Memory.original_content_ref":
    "The note about where the content came from.",
  "service.v1.Memory.original_content_sha256":
    "Lower-case hex.",
  "service.v1.Memory.page_image_count":
    "Page images that exist.",
  "service.v1.Memory.page_image_status":
    "PENDING with a count of 0 when no page images are made.",
  "service.v1.Memory.processing_history":
    "Only when it was asked for.",
  "service.v1.Memory.processing_status":
    "Retrieval sees COMPLETED memories only.",
  "service.v1.Memory.space_id":
    "The space that it is in.",
  "service.v1.Memory.updated_at":
    "When it was changed last.",
  "service.v1.Memory.updated_by_id":
    "The user who changed it last.",
  "service.v1.MemoryFilterSelector":
    "Every memory of a space that matches; deleted all or nothing.",
  "service.v1.MemoryFilterSelector.filter":
    "An expression of the filter language; every memory when left out.",
  "service.v1.MemoryFilterSelector.space_id":
    "The space to look in.",
  "service.v1.MemoryFilterSelector.status_filter":
    "Only memories with this status.",
  "service.v1.MemoryService":
    "Store, read, delete and retrieve memories.",
  "service.v1.MemoryService.BatchCreateMemory":
    "Up to 1000 creates; items succeed or fail one by one.",
  "service.v1.MemoryService.BatchDeleteMemory":
    "Up to 1000 deletes, by id or by filter; items succeed or fail one by one.",
  "service.v1.MemoryService.BatchGetMemory":
    "Up to 1000 reads; items succeed or fail one by one.",
  "service.v1.MemoryService.CreateMemory":
    "Stores content. Extraction, chunking and embedding follow in the background.",
  "service.v1.MemoryService.DeleteMemory":
    "Deletes a memory with its chunks. A running job is canceled.",
  "service.v1.MemoryService.GetMemory":
    "Reads one memory; its content and processing history only when asked for.",
  "service.v1.MemoryService.GetMemoryContent":
    "The content exactly as it was stored.",
  "service.v1.MemoryService.GetMemoryPageImageContent":
    "The bytes of one page image. Refused when several match.",
  "service.v1.MemoryService.GetMemoryText":
    "The extracted text, into which the offsets of chunks point.",
  "service.v1.MemoryService.ListChunks":
    "The chunks of one memory, or of all memories of a space.",
  "service.v1.MemoryService.ListMemories":
    "Lists the memories of a space, newest first unless told otherwise.",
  "service.v1.MemoryService.ListMemoryPageImages":
    "Lists the page images of a memory, without their bytes.",
  "service.v1.MemoryService.ReprocessMemory":
    "Processes a COMPLETED or FAILED memory again from its stored content.",
  "service.v1.MemoryService.RetrieveMemory":
    "Finds the chunks nearest in meaning to a message and streams them. The order of the events: remarks that are known by then, BEGIN, each memory before its first item, END, and after that the summary or why there is none. GET always uses the chat post processor.",
  "service.v1.MemoryService.UpdateMemory":
    "Changes metadata or expiry. The content is immutable.",
  "service.v1.NeighborChunk":
    "A chunk beside one that was found.",
  "service.v1.NeighborChunk.chunk_sequence_number":
    "Its position in the memory, from 0.",
  "service.v1.NeighborChunk.chunk_text":
    "Its text.",
  "service.v1.NeighborChunks.neighbors":
    "In the order of the text.",
  "service.v1.NoChunking":
    "Has no settings.",
  "service.v1.OcrBox":
    "Pixels of the rendered page.",
  "service.v1.OcrBox.x1":
    "Left.",
  "service.v1.OcrBox.x2":
    "Right.",
  "service.v1.OcrBox.y1":
    "Top.",
  "service.v1.OcrBox.y2":
    "Bottom.",
  "service.v1.OcrCell":
    "One part of a page.",
  "service.v1.OcrCell.bbox":
    "Where it stands; may be missing.",
  "service.v1.OcrCell.category":
    "Its type.",
  "service.v1.OcrCell.category_label":
    "Its type in the terms of the recognizer.",
  "service.v1.OcrCell.text":
    "Its text.",
  "service.v1.OcrDocumentRequest.content":
    "The bytes of the document.",
  "service.v1.OcrDocumentRequest.end_page":
    "Inclusive; the last page when left out.",
  "service.v1.OcrDocumentRequest.format":
    "AUTO when left out.",
  "service.v1.OcrDocumentRequest.include_markdown":
    "Include the page as Markdown.",
  "service.v1.OcrDocumentRequest.include_raw_json":
    "Include the recognizer's own answer.",
  "service.v1.OcrDocumentRequest.start_page":
    "From 0; the first page when left out.",
  "service.v1.OcrDocumentResponse":
    "The recognized pages.",
  "service.v1.OcrDocumentResponse.detected_format":
    "What the document is.",
  "service.v1.OcrDocumentResponse.page_count":
    "The number of pages returned.",
  "service.v1.OcrDocumentResponse.pages":
    "In the order of the document.",
  "service.v1.OcrDocumentResponse.timings":
    "The timings of the call.",
  "service.v1.OcrDocumentTimings":
    "The timings of the call, in milliseconds.",
  "service.v1.OcrDocumentTimings.sum_ocr_ms":
    "Recognizing, over all pages.",
  "service.v1.OcrDocumentTimings.sum_page_total_ms":
    "The sum over all pages; more than wall_time_ms when pages ran side by side.",
  "service.v1.OcrDocumentTimings.sum_queue_wait_ms":
    "Waiting, over all pages.",
  "service.v1.OcrDocumentTimings.sum_render_ms":
    "Rendering, over all pages.",
  "service.v1.OcrDocumentTimings.wall_time_ms":
    "From start to end.",
  "service.v1.OcrImage":
    "The rendered page.",
  "service.v1.OcrImage.dpi":
    "Resolution in dots per inch.",
  "service.v1.OcrImage.height_px":
    "In pixels.",
  "service.v1.OcrImage.width_px":
    "In pixels.",
  "service.v1.OcrLayout":
    "The parts of a page.",
  "service.v1.OcrLayout.cells":
    "In reading order.",
  "service.v1.OcrPage":
    "What was recognized on a page.",
  "service.v1.OcrPage.image":
    "The image that was recognized.",
  "service.v1.OcrPage.layout":
    "The parts of the page.",
  "service.v1.OcrPage.markdown":
    "Only when it was asked for.",
  "service.v1.OcrPage.raw_json":
    "Only when it was asked for; JSON as text.",
  "service.v1.OcrPage.timings":
    "The timings of the page.",
  "service.v1.OcrPageResult":
    "One page: what was recognized, or why that failed.",
  "service.v1.OcrPageResult.page":
    "What was recognized.",
  "service.v1.OcrPageResult.page_index":
    "In the original document, from 0.",
  "service.v1.OcrPageResult.status":
    "Why recognition failed.",
  "service.v1.OcrPageStatus":
    "Why a page failed; the code is a gRPC status number.",
  "service.v1.OcrPageStatus.code":
    "Such as 13, INTERNAL.",
  "service.v1.OcrPageStatus.message":
    "A sentence for people.",
  "service.v1.OcrPageTimings":
    "The timings of a page, in milliseconds.",
  "service.v1.OcrPageTimings.ocr_ms":
    "Recognizing.",
  "service.v1.OcrPageTimings.queue_wait_ms":
    "Waiting for its turn.",
  "service.v1.OcrPageTimings.render_ms":
    "Rendering.",
  "service.v1.OcrPageTimings.total_ms":
    "The total.",
  "service.v1.OcrService":
    "Layout-aware recognition of documents and images, when the add-on is configured.",
  "service.v1.OcrService.OcrDocument":
    "Recognizes the pages of a document or an image. A page that fails does not fail the call.",
  "service.v1.OutputBudget":
    "How long a generated answer may be.",
  "service.v1.OutputBudget.tokens":
    "The most tokens.",
  "service.v1.PageImage":
    "A picture of one page of a memory.",
  "service.v1.PageImage.content_type":
    "The media type of the image.",
  "service.v1.PageImage.created_at":
    "When it was created.",
  "service.v1.PageImage.created_by_id":
    "The user who created it.",
  "service.v1.PageImage.dpi":
    "Resolution in dots per inch.",
  "service.v1.PageImage.image_content_length":
    "In bytes.",
  "service.v1.PageImage.image_content_sha256":
    "Lower-case hex.",
  "service.v1.PageImage.memory_id":
    "The memory whose page it shows.",
  "service.v1.PageImage.page_index":
    "From 0.",
  "service.v1.PageImage.updated_at":
    "When it was changed last.",
  "service.v1.PageImage.updated_by_id":
    "The user who changed it last.",
  "service.v1.PingClientMessage.config":
    "What to probe; the first message, once.",
  "service.v1.PingClientMessage.control":
    "What to do with the running ping.",
  "service.v1.PingConfig":
    "What to probe, how often and with what.",
  "service.v1.PingConfig.count":
    "Number of probes; 4 when left out or 0, at most 100.",
  "service.v1.PingConfig.interval_ms":
    "Between the starts of two probes; 1000 when left out or 0, at least 10, at most 3600000.",
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
  "service.v1.PingConfig.payload_type":
    "TEXT when left out.",
  "service.v1.PingConfig.target_id":
    "The embedder, reranker or LLM to probe.",
  "service.v1.PingConfig.target_type_hint":
    "The type of the target; any type when left out.",
  "service.v1.PingConfig.timeout_ms":
    "Of one probe; 5000 when left out or 0, at most 60000.",
  "service.v1.PingEndpoint":
    "What was probed.",
  "service.v1.PingEndpoint.model_identifier":
    "Its model.",
  "service.v1.PingEndpoint.provider":
    "Its provider.",
  "service.v1.PingEndpoint.resolved_endpoint":
    "The address that was called.",
  "service.v1.PingEndpoint.target_id":
    "Its id.",
  "service.v1.PingEndpoint.target_type":
    "What kind of target it is.",
  "service.v1.PingNotice":
    "A remark about the ping as a whole, such as a value that was reduced.",
  "service.v1.PingNotice.code":
    "A code for programs, such as COUNT_CLAMPED.",
  "service.v1.PingNotice.details":
    "Facts by name, such as requested and applied.",
  "service.v1.PingNotice.message":
    "A sentence for people.",
  "service.v1.PingOnceRequest.payload":
    "\"ping\", repeated to the size, when left out. Not together with payload_size_bytes.",
  "service.v1.PingOnceRequest.payload_size_bytes":
    "64 when left out, at most 1048576.",
  "service.v1.PingOnceRequest.payload_type":
    "TEXT when left out.",
  "service.v1.PingOnceRequest.target_id":
    "The embedder, reranker or LLM to probe.",
  "service.v1.PingOnceRequest.target_type_hint":
    "The type of the target; any type when left out.",
  "service.v1.PingOnceRequest.timeout_ms":
    "5000 when left out or 0, at most 60000.",
  "service.v1.PingResult":
    "The result of one probe.",
  "service.v1.PingResult.bytes_received":
    "Of the answer.",
  "service.v1.PingResult.bytes_sent":
    "Of the call.",
  "service.v1.PingResult.endpoint":
    "What was probed.",
  "service.v1.PingResult.error_message":
    "What went wrong, when ok is false.",
  "service.v1.PingResult.http_status":
    "Left out when no response came.",
  "service.v1.PingResult.metadata":
    "The labels of the ping, and what was clamped.",
  "service.v1.PingResult.ok":
    "Whether the probe succeeded.",
  "service.v1.PingResult.rtt_ms":
    "From the call to its answer, in milliseconds.",
  "service.v1.PingResult.seq":
    "From 1.",
  "service.v1.PingResult.timing":
    "When the probe passed each side.",
  "service.v1.PingServerMessage":
    "One event of a ping. Exactly one member.",
  "service.v1.PingServerMessage.notice":
    "A remark that does not end the stream.",
  "service.v1.PingServerMessage.result":
    "The result of a probe.",
  "service.v1.PingServerMessage.summary":
    "The last event.",
  "service.v1.PingService":
    "Probe inference endpoints: one small real call each.",
  "service.v1.PingService.Ping":
    "Probes an endpoint several times and ends with a summary. Over gRPC the first message is a config; PAUSE, RESUME and CANCEL may follow.",
  "service.v1.PingService.PingOnce":
    "Probes an endpoint once.",
  "service.v1.PingSummary":
    "Statistics of all probes.",
  "service.v1.PingSummary.applied_limits":
    "The limits that were applied in place of given values, by field.",
  "service.v1.PingSummary.bytes_per_second":
    "Bytes a second, both ways together.",
  "service.v1.PingSummary.endpoint":
    "What was probed.",
  "service.v1.PingSummary.errors":
    "Probes that failed otherwise.",
  "service.v1.PingSummary.ok":
    "Probes that succeeded.",
  "service.v1.PingSummary.requests":
    "Probes sent.",
  "service.v1.PingSummary.requests_per_second":
    "Probes a second.",
  "service.v1.PingSummary.responses":
    "Answers received.",
  "service.v1.PingSummary.rtt_avg_ms":
    "The mean, in milliseconds.",
  "service.v1.PingSummary.rtt_max_ms":
    "The longest, in milliseconds.",
  "service.v1.PingSummary.rtt_min_ms":
    "The shortest round trip, in milliseconds.",
  "service.v1.PingSummary.rtt_p50_ms":
    "The median, in milliseconds: half took at most this long.",
  "service.v1.PingSummary.rtt_p90_ms":
    "The 90th percentile, in milliseconds: 90 percent took at most this long.",
  "service.v1.PingSummary.rtt_p99_ms":
    "The 99th percentile, in milliseconds: 99 percent took at most this long.",
  "service.v1.PingSummary.timeouts":
    "Probes without an answer in time.",
  "service.v1.PingTiming":
    "When a probe passed each side, in Unix nanoseconds.",
  "service.v1.PingTiming.client_receive_time_unix_nanos":
    "When this server had the answer.",
  "service.v1.PingTiming.client_send_time_unix_nanos":
    "When this server sent the call.",
  "service.v1.PingTiming.server_received_time_unix_nanos":
    "0 when the target reports none.",
  "service.v1.PingTiming.server_send_time_unix_nanos":
    "0 when the target reports none.",
  "service.v1.PoolStatus":
    "Connections to the database.",
  "service.v1.PoolStatus.idle":
    "Open and not in use.",
  "service.v1.PoolStatus.used":
    "In use.",
  "service.v1.PoolStatus.waiting":
    "Calls that wait for a connection.",
  "service.v1.PostProcessor":
    "What happens to the results before they are sent.",
  "service.v1.PostProcessor.config":
    "Its settings. Those of the chat post processor are in snake_case; what is unknown or out of range is reported by a status event, and ignored.",
  "service.v1.PostProcessor.name":
    "The chat post processor when left out; else one that a module of the server has.",
  "service.v1.ProcessingHistory":
    "What was done to process a memory.",
  "service.v1.ProcessingHistory.attempts":
    "Newest first.",
  "service.v1.ProcessingHistory.latest_job":
    "Left out before there is a job.",
  "service.v1.ProviderType":
    "The provider of an inference endpoint, which decides the wire format of its calls.",
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
  "service.v1.PurgeBackgroundJobsResponse":
    "What was removed or, in a dry run, would have been.",
  "service.v1.PurgeBackgroundJobsResponse.attempts_purged":
    "Attempts removed with them.",
  "service.v1.PurgeBackgroundJobsResponse.dry_run":
    "Nothing was removed.",
  "service.v1.PurgeBackgroundJobsResponse.jobs_purged":
    "Jobs removed.",
  "service.v1.PurgeBackgroundJobsResponse.references_purged":
    "Removed jobs whose memory still exists: its processing history no longer shows them.",
  "service.v1.RecursiveChunking":
    "Splitting by separators.",
  "service.v1.RecursiveChunking.chunk_overlap":
    "How much of the end of a chunk is repeated in the next one, in whole pieces. Less than chunk_size.",
  "service.v1.RecursiveChunking.chunk_size":
    "The hard maximum of a chunk, overlap included.",
  "service.v1.RecursiveChunking.keep_strategy":
    "Which piece keeps the separator; KEEP_END when left out.",
  "service.v1.RecursiveChunking.length_measurement":
    "What the sizes are counted in; CHARACTER_COUNT when left out.",
  "service.v1.RecursiveChunking.separator_is_regex":
    "Whether the separators are regular expressions. A memory on which they take longer than a few seconds FAILS.",
  "service.v1.RecursiveChunking.separators":
    "In order of preference; \"\" cuts between characters. Empty means paragraph, line, space, character.",
  "service.v1.ReloadLicenseResponse":
    "The result of the reload.",
  "service.v1.ReloadLicenseResponse.Status.STATUS_FAILED":
    "The file cannot be used; the one that was in force stays.",
  "service.v1.ReloadLicenseResponse.Status.STATUS_LOADED":
    "Another file is in force now; the request counters restart.",
  "service.v1.ReloadLicenseResponse.Status.STATUS_NOT_FOUND":
    "There is no license; the built-in defaults apply.",
  "service.v1.ReloadLicenseResponse.Status.STATUS_UNCHANGED":
    "The same file is in force as before.",
  "service.v1.ReloadLicenseResponse.active_license":
    "The file in force.",
  "service.v1.ReloadLicenseResponse.message":
    "Why, where there is something to say.",
  "service.v1.ReloadLicenseResponse.status":
    "LOADED: a new file is in force. UNCHANGED: the same file is. FAILED: the file is bad and the old one stays.",
  "service.v1.ReprocessMemoryRequest.memory_id":
    "The memory.",
  "service.v1.Reranker":
    "An endpoint that orders texts by relevance to a question.",
  "service.v1.Reranker.api_path":
    "The path of the call, appended to the address as it is.",
  "service.v1.Reranker.created_at":
    "When it was created.",
  "service.v1.Reranker.created_by_id":
    "The user who created it.",
  "service.v1.Reranker.description":
    "For people; \"\" when there is none.",
  "service.v1.Reranker.display_name":
    "For people.",
  "service.v1.Reranker.endpoint_url":
    "Its address, without the path of the call.",
  "service.v1.Reranker.labels":
    "Your own labels, for filters.",
  "service.v1.Reranker.model_identifier":
    "The model, as the provider names it.",
  "service.v1.Reranker.monitoring_endpoint":
    "For your own notes; never called.",
  "service.v1.Reranker.owner_id":
    "The user who owns it.",
  "service.v1.Reranker.provider_type":
    "The provider of the endpoint, which decides the wire format of its calls.",
  "service.v1.Reranker.reranker_id":
    "The id of the reranker.",
  "service.v1.Reranker.supported_modalities":
    "The modalities of its input.",
  "service.v1.Reranker.updated_at":
    "When it was changed last.",
  "service.v1.Reranker.updated_by_id":
    "The user who changed it last.",
  "service.v1.Reranker.version":
    "For your own notes; \"\" when there is none.",
  "service.v1.RerankerService":
    "Endpoints that order results by relevance.",
  "service.v1.RerankerService.CreateReranker":
    "Registers an endpoint. It is not called; ping does that.",
  "service.v1.RerankerService.DeleteReranker":
    "Deletes a reranker.",
  "service.v1.RerankerService.GetReranker":
    "Reads one reranker.",
  "service.v1.RerankerService.ListRerankers":
    "Lists the caller's own rerankers and the shared ones, newest first.",
  "service.v1.RerankerService.UpdateReranker":
    "Changes a reranker; what is left out stays.",
  "service.v1.ResultSetBoundary":
    "The start or the end of the list of results.",
  "service.v1.ResultSetBoundary.expected_items":
    "On BEGIN: how many items follow.",
  "service.v1.ResultSetBoundary.kind":
    "Whether the results start or end here.",
  "service.v1.ResultSetBoundary.result_set_id":
    "The id of the result set.",
  "service.v1.ResultSetBoundary.stage_name":
    "On BEGIN, what the results come from: vector_search, hybrid_search, text_search or rerank. \"\" on END.",
  "service.v1.RetrieveMemoryEvent":
    "One event of a retrieval. Exactly one member.",
  "service.v1.RetrieveMemoryEvent.abstract_delta":
    "The next piece of the summary, with stream_summary only. The pieces are as the LLM sends them: joined together they may begin and end with white space that abstract_reply is without.",
  "service.v1.RetrieveMemoryEvent.abstract_reply":
    "The summary, at most one.",
  "service.v1.RetrieveMemoryEvent.memory_definition":
    "The memory of the items that follow, sent once.",
  "service.v1.RetrieveMemoryEvent.result_set_boundary":
    "The results begin or end.",
  "service.v1.RetrieveMemoryEvent.retrieved_item":
    "A result of the retrieval.",
  "service.v1.RetrieveMemoryEvent.status":
    "A remark that does not end the stream, such as PARTIAL_RESULTS.",
  "service.v1.RetrieveMemoryRequest.context":
    "Prior turns of the conversation, oldest first.",
  "service.v1.RetrieveMemoryRequest.explain":
    "End the stream with a status EXPLAIN that holds stage times and the kind of each scan.",
  "service.v1.RetrieveMemoryRequest.fetch_memory":
    "Send a memoryDefinition before the first item of each memory; true when left out.",
  "service.v1.RetrieveMemoryRequest.fetch_memory_content":
    "Put the content into each memoryDefinition. Needs fetch_memory.",
  "service.v1.RetrieveMemoryRequest.hnsw":
    "How approximate indexes are searched.",
  "service.v1.RetrieveMemoryRequest.logging":
    "Accepted and ignored.",
  "service.v1.RetrieveMemoryRequest.max_per_memory":
    "The most chunks of one memory; 0 means no limit.",
  "service.v1.RetrieveMemoryRequest.message":
    "The question.",
  "service.v1.RetrieveMemoryRequest.neighbors":
    "How many chunks before and after each result to send with it.",
  "service.v1.RetrieveMemoryRequest.output_budget":
    "For a post processor that generates text and has no budget of its own.",
  "service.v1.RetrieveMemoryRequest.post_processor":
    "Rerank, sort and summarize the results; none when left out.",
  "service.v1.RetrieveMemoryRequest.requested_size":
    "How many items to send; 20 when left out or 0. With a post processor, how many candidates to find for it.",
  "service.v1.RetrieveMemoryRequest.search":
    "By vectors, by words, or both; vectors when left out.",
  "service.v1.RetrieveMemoryRequest.space_keys":
    "The spaces to search. Each once.",
  "service.v1.RetrieveMemoryRequest.stream_summary":
    "Send the summary piece by piece while the LLM writes it, as abstractDelta events in front of the abstractReply.",
  "service.v1.RetrievedItem":
    "A result of the retrieval.",
  "service.v1.RetrievedItem.chunk":
    "A chunk; what the service itself sends.",
  "service.v1.RetrievedItem.memory":
    "A whole memory; only from custom post processors.",
  "service.v1.RetrievedItem.memory_index":
    "Counts memories in the order of their first appearance, from 0.",
  "service.v1.RetrievedItem.relevance_score":
    "Higher is better; may be negative.",
  "service.v1.RetrievedItem.result_set_id":
    "The result set that it belongs to.",
  "service.v1.Rules":
    "What a value must look like. Checked over REST and gRPC before a handler runs, and published in the API description.",
  "service.v1.Rules.allow_nul":
    "The text is not stored, and may hold NUL characters.",
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
  "service.v1.SamplingParams":
    "The sampling parameters of an LLM; the provider chooses those that are left out.",
  "service.v1.SamplingParams.frequency_penalty":
    "Above 0, a token becomes less likely the more often it was used.",
  "service.v1.SamplingParams.max_tokens":
    "The most tokens to write.",
  "service.v1.SamplingParams.presence_penalty":
    "Above 0, tokens that were used become less likely.",
  "service.v1.SamplingParams.stop_sequences":
    "Texts at which the answer ends.",
  "service.v1.SamplingParams.temperature":
    "0 is the most predictable.",
  "service.v1.SamplingParams.top_k":
    "The number of most likely tokens to sample from.",
  "service.v1.SamplingParams.top_p":
    "Nucleus sampling: the share of probability of the tokens to sample from.",
  "service.v1.SearchOptions":
    "Which rankings find the chunks.",
  "service.v1.SearchOptions.mode":
    "VECTOR when left out. HYBRID and TEXT are refused by a server that does not have them.",
  "service.v1.SearchOptions.text_weight":
    "Weight of the text ranking in HYBRID; 0.6 when left out.",
  "service.v1.SecretRef":
    "Where the server reads a secret at each call.",
  "service.v1.SecretRef.hints":
    "Notes for people; not used.",
  "service.v1.SecretRef.uri":
    "env://NAME or file:///path.",
  "service.v1.SentenceChunking":
    "Splitting by sentences.",
  "service.v1.SentenceChunking.enable_language_detection":
    "Picks the sentence rules by language; otherwise neutral Unicode rules.",
  "service.v1.SentenceChunking.length_measurement":
    "What the sizes are counted in; CHARACTER_COUNT when left out.",
  "service.v1.SentenceChunking.max_chunk_size":
    "The hard maximum of a chunk.",
  "service.v1.SentenceChunking.min_chunk_size":
    "A shorter chunk is joined to its neighbor when the result fits. At most max_chunk_size.",
  "service.v1.Space":
    "A container of memories that have the same embedders and are searched together.",
  "service.v1.Space.created_at":
    "When it was created.",
  "service.v1.Space.created_by_id":
    "The user who created it.",
  "service.v1.Space.default_chunking_config":
    "How its memories are chunked by default.",
  "service.v1.Space.description":
    "Left out when there is none.",
  "service.v1.Space.give_up_after_minutes":
    "How long its memories wait for a provider that is unavailable before they become FAILED, in minutes.",
  "service.v1.Space.labels":
    "Your own labels, for filters.",
  "service.v1.Space.name":
    "Unique per owner.",
  "service.v1.Space.owner_id":
    "The user who owns it.",
  "service.v1.Space.public_read":
    "Every authenticated user may read the space and retrieve from it.",
  "service.v1.Space.retention_days":
    "Default lifetime of its memories, in days.",
  "service.v1.Space.space_embedders":
    "The embedders whose vectors its chunks have.",
  "service.v1.Space.space_id":
    "The id of the space.",
  "service.v1.Space.statistics":
    "Only where it was asked for.",
  "service.v1.Space.updated_at":
    "When it was changed last.",
  "service.v1.Space.updated_by_id":
    "The user who changed it last.",
  "service.v1.Space.vector_quantization":
    "Left out where the vector index has the vectors as they are.",
  "service.v1.SpaceEmbedder":
    "An embedder of a space.",
  "service.v1.SpaceEmbedder.created_at":
    "When it was created.",
  "service.v1.SpaceEmbedder.created_by_id":
    "The user who created it.",
  "service.v1.SpaceEmbedder.default_retrieval_weight":
    "Its weight in the score, unless the retrieval sets another one.",
  "service.v1.SpaceEmbedder.embedder_id":
    "The embedder.",
  "service.v1.SpaceEmbedder.space_id":
    "The space.",
  "service.v1.SpaceEmbedder.updated_at":
    "When it was changed last.",
  "service.v1.SpaceEmbedder.updated_by_id":
    "The user who changed it last.",
  "service.v1.SpaceEmbedderSelection":
    "An embedder for a new space.",
  "service.v1.SpaceEmbedderSelection.default_retrieval_weight":
    "1.0 when left out; any finite number.",
  "service.v1.SpaceEmbedderSelection.embedder_id":
    "The embedder.",
  "service.v1.SpaceKey":
    "One space to search, with what applies to it alone.",
  "service.v1.SpaceKey.embedder_weights":
    "Instead of the space's own weights; embedders left out keep theirs.",
  "service.v1.SpaceKey.filter":
    "An expression of the filter language; blank means none.",
  "service.v1.SpaceKey.space_id":
    "The space.",
  "service.v1.SpaceService":
    "Create and manage the spaces that hold memories.",
  "service.v1.SpaceService.CreateSpace":
    "Creates a space.",
  "service.v1.SpaceService.DeleteSpace":
    "Deletes a space with its memories, chunks and jobs.",
  "service.v1.SpaceService.GetSpace":
    "Reads one space.",
  "service.v1.SpaceService.ListSpaces":
    "Lists the caller's own spaces, newest first unless told otherwise; with LIST_SPACE_ANY those of every owner.",
  "service.v1.SpaceService.UpdateSpace":
    "Changes name, visibility, labels, retention or how long memories wait for a provider. Everything else is immutable.",
  "service.v1.SpaceStatistics":
    "What a space holds at the moment. Memories that have expired do not count.",
  "service.v1.SpaceStatistics.content_bytes":
    "Bytes of their contents.",
  "service.v1.SpaceStatistics.memory_count":
    "How many memories there are, whatever their status.",
  "service.v1.Status":
    "A remark inside a stream or a response that is not an error of the call.",
  "service.v1.Status.code":
    "A code for programs, such as PARTIAL_RESULTS.",
  "service.v1.Status.details":
    "Facts by name.",
  "service.v1.Status.message":
    "A sentence for people.",
  "service.v1.SystemCapabilities.capabilities":
    "By name.",
  "service.v1.SystemInfo":
    "The version of the server. With a key, also its build and capabilities.",
  "service.v1.SystemInfo.build_time":
    "ISO 8601.",
  "service.v1.SystemInfo.capabilities":
    "What this build and its settings can do, by name.",
  "service.v1.SystemInfo.dirty":
    "Built from a tree with uncommitted changes.",
  "service.v1.SystemInfo.git_commit":
    "The commit it was built from.",
  "service.v1.SystemInfo.git_describe":
    "The commit as `git describe` names it.",
  "service.v1.SystemInfo.major":
    "The first part of the version.",
  "service.v1.SystemInfo.minor":
    "The second part of the version.",
  "service.v1.SystemInfo.patch":
    "The third part of the version.",
  "service.v1.SystemInfo.version":
    "As major.minor.patch.",
  "service.v1.SystemService":
    "System information and initialization.",
  "service.v1.SystemService.Diagnose":
    "Checks for common problems and says how to solve them.",
  "service.v1.SystemService.GetSystemInfo":
    "Tells the version; with a key also the build and its capabilities.",
  "service.v1.SystemService.GetSystemStatus":
    "Counts, queues, pools and latencies of the answering server.",
  "service.v1.SystemService.InitializeSystem":
    "Creates the root user and its key on a fresh server. Only the first call returns the key.",
  "service.v1.SystemStatus":
    "The status of the answering server.",
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
  "service.v1.SystemStatus.schema_version":
    "Of the database: the number of the last migration.",
  "service.v1.SystemStatus.stages":
    "Per stage of a retrieval, over the last minute.",
  "service.v1.SystemStatus.state":
    "STARTING, READY, DRAINING or QUIESCED.",
  "service.v1.SystemStatus.uptime_ms":
    "Milliseconds since the process started.",
  "service.v1.UpdateApiKeyRequest.api_key_id":
    "The key.",
  "service.v1.UpdateApiKeyRequest.merge_labels":
    "Adds or overwrites labels.",
  "service.v1.UpdateApiKeyRequest.replace_labels":
    "Replaces all labels; {} clears them.",
  "service.v1.UpdateApiKeyRequest.status":
    "INACTIVE switches the key off, ACTIVE on again.",
  "service.v1.UpdateEmbedderRequest.api_path":
    "The path of the call, appended to the address as it is.",
  "service.v1.UpdateEmbedderRequest.credentials":
    "Kept when left out.",
  "service.v1.UpdateEmbedderRequest.description":
    "For people.",
  "service.v1.UpdateEmbedderRequest.dimensionality":
    "Length of its vectors. Refused while a space uses the embedder.",
  "service.v1.UpdateEmbedderRequest.display_name":
    "For people.",
  "service.v1.UpdateEmbedderRequest.distribution_type":
    "SPARSE is not supported.",
  "service.v1.UpdateEmbedderRequest.embedder_id":
    "The embedder.",
  "service.v1.UpdateEmbedderRequest.endpoint_url":
    "Its address, without the path of the call.",
  "service.v1.UpdateEmbedderRequest.max_sequence_length":
    "In tokens; longer inputs are cut before the call.",
  "service.v1.UpdateEmbedderRequest.merge_labels":
    "Adds or overwrites labels.",
  "service.v1.UpdateEmbedderRequest.model_identifier":
    "The model, as the provider names it. Refused while a space uses the embedder.",
  "service.v1.UpdateEmbedderRequest.monitoring_endpoint":
    "For your own notes; never called.",
  "service.v1.UpdateEmbedderRequest.replace_labels":
    "Replaces all labels; {} clears them.",
  "service.v1.UpdateEmbedderRequest.supported_modalities":
    "Empty changes nothing.",
  "service.v1.UpdateEmbedderRequest.version":
    "For your own notes.",
  "service.v1.UpdateLLMRequest.api_path":
    "The path of the call, appended to the address as it is.",
  "service.v1.UpdateLLMRequest.capabilities":
    "Replaces the whole object: members left out are inferred again, from the model as it is after this update. Kept when left out.",
  "service.v1.UpdateLLMRequest.client_config":
    "Replaces the whole object; {} clears it. Kept when left out.",
  "service.v1.UpdateLLMRequest.credentials":
    "Kept when left out.",
  "service.v1.UpdateLLMRequest.default_sampling_params":
    "Replaces the whole object: members left out are unset. Kept when left out.",
  "service.v1.UpdateLLMRequest.description":
    "For people.",
  "service.v1.UpdateLLMRequest.display_name":
    "For people.",
  "service.v1.UpdateLLMRequest.endpoint_url":
    "Its address, without the path of the call.",
  "service.v1.UpdateLLMRequest.llm_id":
    "The LLM.",
  "service.v1.UpdateLLMRequest.max_context_length":
    "The most tokens that it can read.",
  "service.v1.UpdateLLMRequest.merge_labels":
    "Adds or overwrites labels.",
  "service.v1.UpdateLLMRequest.model_identifier":
    "The model, as the provider names it.",
  "service.v1.UpdateLLMRequest.monitoring_endpoint":
    "For your own notes; never called.",
  "service.v1.UpdateLLMRequest.replace_labels":
    "Replaces all labels; {} clears them.",
  "service.v1.UpdateLLMRequest.supported_modalities":
    "Empty changes nothing.",
  "service.v1.UpdateLLMRequest.version":
    "For your own notes.",
  "service.v1.UpdateMemoryRequest.expires_at":
    "0 means never.",
  "service.v1.UpdateMemoryRequest.memory_id":
    "The memory.",
  "service.v1.UpdateMemoryRequest.merge_metadata":
    "Adds or overwrites top-level members; a null value removes the member.",
  "service.v1.UpdateMemoryRequest.replace_metadata":
    "Replaces all metadata; {} clears it.",
  "service.v1.UpdateRerankerRequest.api_path":
    "The path of the call, appended to the address as it is.",
  "service.v1.UpdateRerankerRequest.credentials":
    "Kept when left out.",
  "service.v1.UpdateRerankerRequest.description":
    "For people.",
  "service.v1.UpdateRerankerRequest.display_name":
    "For people.",
  "service.v1.UpdateRerankerRequest.endpoint_url":
    "Its address, without the path of the call.",
  "service.v1.UpdateRerankerRequest.merge_labels":
    "Adds or overwrites labels.",
  "service.v1.UpdateRerankerRequest.model_identifier":
    "The model, as the provider names it.",
  "service.v1.UpdateRerankerRequest.monitoring_endpoint":
    "For your own notes; never called.",
  "service.v1.UpdateRerankerRequest.replace_labels":
    "Replaces all labels; {} clears them.",
  "service.v1.UpdateRerankerRequest.reranker_id":
    "The reranker.",
  "service.v1.UpdateRerankerRequest.supported_modalities":
    "Empty changes nothing.",
  "service.v1.UpdateRerankerRequest.version":
    "For your own notes.",
  "service.v1.UpdateSpaceRequest.give_up_after_minutes":
    "How long its memories wait for a provider that is unavailable, in minutes; applies from their next attempt.",
  "service.v1.UpdateSpaceRequest.merge_labels":
    "Adds or overwrites labels.",
  "service.v1.UpdateSpaceRequest.name":
    "Unique per owner, case-sensitive.",
  "service.v1.UpdateSpaceRequest.public_read":
    "Let every authenticated user read the space and retrieve from it.",
  "service.v1.UpdateSpaceRequest.replace_labels":
    "Replaces all labels; {} clears them.",
  "service.v1.UpdateSpaceRequest.retention_days":
    "Default lifetime of its memories, in days; 0 removes it. Memories that exist keep their own expiry.",
  "service.v1.UpdateSpaceRequest.space_id":
    "The space.",
  "service.v1.UpdateUserRequest.display_name":
    "For people.",
  "service.v1.UpdateUserRequest.role":
    "USER or ADMIN. Needs UPDATE_USER_ANY; the role of ROOT cannot be changed.",
  "service.v1.UpdateUserRequest.user_id":
    "The user.",
  "service.v1.UpdateUserRequest.username":
    "Unique.",
  "service.v1.User":
    "A user, who can have keys and own resources.",
  "service.v1.User.created_at":
    "When it was created.",
  "service.v1.User.display_name":
    "For people.",
  "service.v1.User.email":
    "Unique without regard to case.",
  "service.v1.User.role":
    "What the user may do.",
  "service.v1.User.updated_at":
    "When it was changed last.",
  "service.v1.User.user_id":
    "The id of the user.",
  "service.v1.User.username":
    "Unique; left out when there is none.",
  "service.v1.UserService":
    "User management and roles.",
  "service.v1.UserService.CreateUser":
    "Creates a user. It has no key yet: make one with CreateApiKey and its user_id.",
  "service.v1.UserService.DeleteUser":
    "Deletes a user and all its keys. Refused while the user owns resources.",
  "service.v1.UserService.GetUser":
    "Reads a user by id or e-mail address, or the caller.",
  "service.v1.UserService.ListUsers":
    "Lists the users, newest first. Without LIST_USER_ANY that is the caller alone.",
  "service.v1.UserService.UpdateUser":
    "Changes a user; what is left out stays. A role needs UPDATE_USER_ANY.",
  "service.v1.VectorQuantization":
    "What the vector index of a large space has of its vectors.",
  "service.v1.VectorQuantization.VECTOR_QUANTIZATION_BINARY":
    "The sign of each of their numbers. The best that the index finds are compared with the whole vectors, so the scores are the same. The index takes a tenth of the room and is built in less time, and answers come from more candidates. For embedders with 1,024 dimensions or more, whose numbers have both signs.",
  "service.v1.VectorQuantization.VECTOR_QUANTIZATION_NONE":
    "The vectors as they are.",
};
