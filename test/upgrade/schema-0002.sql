--
-- PostgreSQL database dump
--


-- Dumped from database version 17.11 (Debian 17.11-0+deb13u1)
-- Dumped by pg_dump version 17.11 (Debian 17.11-0+deb13u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: vector; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;


--
-- Name: svc_filter_add_days(date, numeric); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.svc_filter_add_days(base date, days numeric) RETURNS date
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
begin
  if days <> trunc(days)
     or days not between (date '0001-01-01' - base) and (date '9999-12-31' - base) then
    return null;
  end if;
  return base + days::integer;
end
$$;


--
-- Name: svc_filter_add_days(timestamp with time zone, numeric); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.svc_filter_add_days(base timestamp with time zone, days numeric) RETURNS timestamp with time zone
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
declare
  whole numeric := trunc(days);
  target numeric := extract(epoch from base) + days * 86400;
begin
  if target < -62135596800 or target >= 253402300800 then
    return null;
  end if;
  return ((base at time zone 'UTC') + whole::integer * interval '1 day'
    + round((days - whole) * 86400000000)::double precision * interval '1 microsecond') at time zone 'UTC';
end
$$;


--
-- Name: svc_filter_concat(text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.svc_filter_concat(parts text[]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
declare
  part text;
  total bigint := 0;
begin
  foreach part in array parts loop
    if part is null then
      return null;
    end if;
    total := total + char_length(part);
  end loop;
  if total > 1000000 then
    return null;
  end if;
  return array_to_string(parts, '');
end
$$;


--
-- Name: svc_filter_contains(jsonb[], jsonb[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.svc_filter_contains(whole jsonb[], part jsonb[]) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
begin
  if exists (
    select item from unnest(part) as item where item is not null
    except
    select item from unnest(whole) as item
  ) then
    return case when array_position(whole, null) is null then false end;
  end if;
  return case when array_position(part, null) is null then true end;
end
$$;


--
-- Name: svc_filter_date(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.svc_filter_date(value text) RETURNS date
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
begin
  if value collate "C" ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then
    if pg_input_is_valid(value, 'date') then
      return value::date;
    end if;
    return null;
  end if;
  return (svc_filter_timestamp(value) at time zone 'UTC')::date;
end
$_$;


--
-- Name: svc_filter_elements(jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.svc_filter_elements(value jsonb) RETURNS jsonb[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
begin
  if jsonb_typeof(value) <> 'array' then
    return array[value];
  end if;
  return array(select jsonb_array_elements(value));
end
$$;


--
-- Name: svc_filter_in_range(numeric); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.svc_filter_in_range(value numeric) RETURNS numeric
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
begin
  if abs(value) >= 1e500 then
    return null;
  end if;
  if scale(value) > 500 then
    return round(value, 500);
  end if;
  return value;
end
$$;


--
-- Name: svc_filter_integer(numeric); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.svc_filter_integer(value numeric) RETURNS numeric
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
begin
  if value <> trunc(value) or value not between -9223372036854775808 and 9223372036854775807 then
    return null;
  end if;
  return trunc(value);
end
$$;


--
-- Name: svc_filter_iso(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.svc_filter_iso(value text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
declare
  part text[];
begin
  if octet_length(value) > 64 then
    return null;
  end if;
  part := regexp_match(value collate "C", '^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9]{2})(?::([0-9]{2})(?::([0-9]{2}(?:[.,][0-9]+)?))?)?(Z|z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?$');
  if part is null then
    part := regexp_match(value collate "C", '^([0-9]{4})([0-9]{2})([0-9]{2})(?:[Tt]([0-9]{2})(?:([0-9]{2})([0-9]{2}(?:[.,][0-9]+)?)?)?(Z|z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?$');
  end if;
  return part[1] || '-' || part[2] || '-' || part[3] || 'T' || coalesce(part[4], '00') || ':' || coalesce(part[5], '00')
    || ':' || replace(coalesce(part[6], '00'), ',', '.') || upper(coalesce(part[7], 'Z'));
end
$_$;


--
-- Name: svc_filter_numeric(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.svc_filter_numeric(value text) RETURNS numeric
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
begin
  if octet_length(value) <= 400 and value collate "C" ~ '^-?[0-9]+(\.[0-9]+)?$' then
    return value::numeric;
  end if;
  if octet_length(value) > 1100
     or value collate "C" !~ '^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?0*[0-9]{1,3})?$' then
    return null;
  end if;
  return svc_filter_in_range(value::numeric);
end
$_$;


--
-- Name: svc_filter_overlaps(jsonb[], jsonb[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.svc_filter_overlaps(one jsonb[], other jsonb[]) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
begin
  if exists (
    select item from unnest(one) as item where item is not null
    intersect
    select item from unnest(other) as item
  ) then
    return true;
  end if;
  if array_position(one, null) is not null and cardinality(other) > 0
     or array_position(other, null) is not null and cardinality(one) > 0 then
    return null;
  end if;
  return false;
end
$$;


--
-- Name: svc_filter_pattern(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.svc_filter_pattern(pattern text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
begin
  if right(pattern, 1) = '\' collate "C"
     and (octet_length(pattern) - octet_length(rtrim(pattern, '\'))) % 2 = 1 then
    return null;
  end if;
  return pattern;
end
$$;


--
-- Name: svc_filter_timestamp(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.svc_filter_timestamp(value text) RETURNS timestamp with time zone
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
begin
  if value collate "C"
     ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})$' then
    if pg_input_is_valid(value, 'timestamptz') then
      return value::timestamptz;
    end if;
    return null;
  end if;
  value := svc_filter_iso(value);
  if pg_input_is_valid(value, 'timestamptz') then
    return value::timestamptz;
  end if;
  return null;
end
$_$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: api_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_key (
    api_key_id uuid NOT NULL,
    user_id uuid NOT NULL,
    key_hash bytea NOT NULL,
    key_prefix text NOT NULL,
    status text NOT NULL,
    labels jsonb DEFAULT '{}'::jsonb NOT NULL,
    read_only boolean,
    space_ids uuid[],
    expires_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    created_by_id uuid NOT NULL,
    updated_by_id uuid NOT NULL,
    CONSTRAINT api_key_hash_length CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT api_key_status CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'INACTIVE'::text])))
);


--
-- Name: app_user; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.app_user (
    user_id uuid NOT NULL,
    email text NOT NULL,
    display_name text NOT NULL,
    username text,
    role text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT app_user_display_name_length CHECK (((char_length(display_name) >= 1) AND (char_length(display_name) <= 255))),
    CONSTRAINT app_user_email_length CHECK (((char_length(email) >= 3) AND (char_length(email) <= 320))),
    CONSTRAINT app_user_role CHECK ((role = ANY (ARRAY['ROOT'::text, 'ADMIN'::text, 'USER'::text]))),
    CONSTRAINT app_user_username_length CHECK (((char_length(username) >= 1) AND (char_length(username) <= 64)))
);


--
-- Name: chunk; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chunk (
    space_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    sequence integer NOT NULL,
    chunk_id uuid NOT NULL,
    text text NOT NULL,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    vector_status text NOT NULL,
    metadata jsonb,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT chunk_vector_status CHECK ((vector_status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text, 'COMPLETED'::text, 'FAILED'::text])))
);


--
-- Name: content_part; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.content_part (
    space_id uuid NOT NULL,
    content_id uuid NOT NULL,
    part integer NOT NULL,
    data bytea NOT NULL
);
ALTER TABLE ONLY public.content_part ALTER COLUMN data SET STORAGE EXTERNAL;


--
-- Name: content_staging; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.content_staging (
    space_id uuid NOT NULL,
    content_id uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);


--
-- Name: embedder; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.embedder (
    embedder_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    display_name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    provider_type text NOT NULL,
    endpoint_url text DEFAULT ''::text NOT NULL,
    api_path text DEFAULT ''::text NOT NULL,
    model_identifier text NOT NULL,
    dimensionality integer NOT NULL,
    distribution_type text DEFAULT 'DENSE'::text NOT NULL,
    max_sequence_length integer,
    supported_modalities text[] NOT NULL,
    labels jsonb DEFAULT '{}'::jsonb NOT NULL,
    version text DEFAULT ''::text NOT NULL,
    monitoring_endpoint text DEFAULT ''::text NOT NULL,
    credentials jsonb,
    credential_fingerprint text DEFAULT ''::text NOT NULL,
    target_fingerprint text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    created_by_id uuid NOT NULL,
    updated_by_id uuid NOT NULL,
    CONSTRAINT embedder_dimensionality CHECK (((dimensionality >= 1) AND (dimensionality <= 16000))),
    CONSTRAINT embedder_display_name_length CHECK (((char_length(display_name) >= 1) AND (char_length(display_name) <= 255)))
);


--
-- Name: job; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job (
    job_id bigint NOT NULL,
    job_type text NOT NULL,
    space_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    status text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer NOT NULL,
    run_at timestamp(3) with time zone NOT NULL,
    lease_until timestamp(3) with time zone,
    locked_by text,
    lease_token uuid,
    away_since timestamp(3) with time zone,
    away_attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT job_status CHECK ((status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text, 'SUCCEEDED'::text, 'FAILED'::text, 'CANCELED'::text])))
);


--
-- Name: job_attempt; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_attempt (
    attempt_id bigint NOT NULL,
    job_id bigint NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    finished_at timestamp(3) with time zone,
    ok boolean,
    worker_id text NOT NULL,
    status_message text,
    progress_current bigint DEFAULT 0 NOT NULL,
    progress_total bigint,
    progress_unit text,
    progress_updated_at timestamp(3) with time zone,
    error_message text,
    error_stacktrace text
);


--
-- Name: job_attempt_attempt_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.job_attempt ALTER COLUMN attempt_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.job_attempt_attempt_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: job_job_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.job ALTER COLUMN job_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.job_job_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: memory; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memory (
    space_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    content_id uuid NOT NULL,
    content_length bigint NOT NULL,
    content_sha256 bytea NOT NULL,
    content_ref text,
    content_type text NOT NULL,
    processing_status text DEFAULT 'PENDING'::text NOT NULL,
    page_image_status text DEFAULT 'PENDING'::text NOT NULL,
    page_image_count integer DEFAULT 0 NOT NULL,
    extract_page_images boolean DEFAULT false NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    chunking_config jsonb,
    chunk_count integer DEFAULT 0 NOT NULL,
    expires_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    created_by_id uuid NOT NULL,
    updated_by_id uuid NOT NULL,
    CONSTRAINT memory_page_image_status CHECK ((page_image_status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text, 'COMPLETED'::text, 'FAILED'::text]))),
    CONSTRAINT memory_processing_status CHECK ((processing_status = ANY (ARRAY['PENDING'::text, 'PROCESSING'::text, 'COMPLETED'::text, 'FAILED'::text])))
);


--
-- Name: schema_migration; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_migration (
    version integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: server_state; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.server_state (
    key text NOT NULL,
    value jsonb NOT NULL
);


--
-- Name: space; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.space (
    space_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    name text NOT NULL,
    description text,
    labels jsonb DEFAULT '{}'::jsonb NOT NULL,
    public_read boolean DEFAULT false NOT NULL,
    chunking_config jsonb NOT NULL,
    retention_days integer,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    created_by_id uuid NOT NULL,
    updated_by_id uuid NOT NULL,
    CONSTRAINT space_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);


--
-- Name: space_embedder; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.space_embedder (
    space_id uuid NOT NULL,
    embedder_id uuid NOT NULL,
    "position" smallint NOT NULL,
    default_retrieval_weight double precision NOT NULL,
    vector_count bigint DEFAULT 0 NOT NULL,
    own_partition boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    created_by_id uuid NOT NULL,
    updated_by_id uuid NOT NULL
);


--
-- Name: text_part; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.text_part (
    space_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    part integer NOT NULL,
    start_offset integer NOT NULL,
    data text NOT NULL
);


--
-- Name: vector_01a1fba38dee749dbf8383c627d443f0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.vector_01a1fba38dee749dbf8383c627d443f0 (
    space_id uuid NOT NULL,
    indexed boolean DEFAULT false NOT NULL,
    memory_id uuid NOT NULL,
    sequence integer NOT NULL,
    embedding public.halfvec(32) NOT NULL
)
PARTITION BY LIST (space_id);
ALTER TABLE ONLY public.vector_01a1fba38dee749dbf8383c627d443f0 ALTER COLUMN embedding SET STORAGE PLAIN;


--
-- Name: vector_01a1fba38dee749dbf8383c627d443f0_shared; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.vector_01a1fba38dee749dbf8383c627d443f0_shared (
    space_id uuid NOT NULL,
    indexed boolean DEFAULT false NOT NULL,
    memory_id uuid NOT NULL,
    sequence integer NOT NULL,
    embedding public.halfvec(32) NOT NULL
);
ALTER TABLE ONLY public.vector_01a1fba38dee749dbf8383c627d443f0_shared ALTER COLUMN embedding SET STORAGE PLAIN;


--
-- Name: vector_01a1fba38e24708a87b6a5d1638db450; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.vector_01a1fba38e24708a87b6a5d1638db450 (
    space_id uuid NOT NULL,
    indexed boolean DEFAULT false NOT NULL,
    memory_id uuid NOT NULL,
    sequence integer NOT NULL,
    embedding public.halfvec(8) NOT NULL
)
PARTITION BY LIST (space_id);
ALTER TABLE ONLY public.vector_01a1fba38e24708a87b6a5d1638db450 ALTER COLUMN embedding SET STORAGE PLAIN;


--
-- Name: vector_01a1fba38e24708a87b6a5d1638db450_shared; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.vector_01a1fba38e24708a87b6a5d1638db450_shared (
    space_id uuid NOT NULL,
    indexed boolean DEFAULT false NOT NULL,
    memory_id uuid NOT NULL,
    sequence integer NOT NULL,
    embedding public.halfvec(8) NOT NULL
);
ALTER TABLE ONLY public.vector_01a1fba38e24708a87b6a5d1638db450_shared ALTER COLUMN embedding SET STORAGE PLAIN;


--
-- Name: vector_01a1fba38dee749dbf8383c627d443f0_shared; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vector_01a1fba38dee749dbf8383c627d443f0 ATTACH PARTITION public.vector_01a1fba38dee749dbf8383c627d443f0_shared DEFAULT;


--
-- Name: vector_01a1fba38e24708a87b6a5d1638db450_shared; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vector_01a1fba38e24708a87b6a5d1638db450 ATTACH PARTITION public.vector_01a1fba38e24708a87b6a5d1638db450_shared DEFAULT;


--
-- Data for Name: api_key; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_key VALUES
	('01a1fba3-8d44-7778-8392-5d2659188571', '01a1fba3-8d3e-764d-a436-12bab144bac3', '\x1f2108f1c0699b4b695f79f799f91d26a1d523ee022725984b4e4a6d2502c742', 'svc_yuxc', 'ACTIVE', '{"purpose": "admin"}', NULL, NULL, NULL, '2026-11-21 01:06:02.25+00', '2026-11-21 01:06:02.174+00', '2026-11-21 01:06:02.174+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8f8e-7475-94e3-8fdde3326981', '01a1fba3-8dc2-7329-a122-56a58731e136', '\x5bf5a1d127f2f20b449319a9d88c7d52beabffd5c6ba0a4512cf871942316103', 'svc_rwsq', 'INACTIVE', '{"purpose": "switched off"}', NULL, NULL, NULL, NULL, '2026-11-21 01:06:02.766+00', '2026-11-21 01:06:02.79+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8fd7-779e-bec7-444433e78fcd', '01a1fba3-8d92-758c-991b-e0a7b38335c5', '\x03a85e35d3a46468105a76b8b78318d23b9dd85a6ea5cb570a84be7447a981e0', 'svc_j2ap', 'ACTIVE', '{}', NULL, NULL, NULL, NULL, '2026-11-21 01:06:02.84+00', '2026-11-21 01:06:02.84+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8fea-75ff-b8f9-d436d29f0ed4', '01a1fba3-8dc2-7329-a122-56a58731e136', '\xa78369d1e894ca077a55d30fc80d8815a5252e653a2f0a7587bc6c9c00d424d8', 'svc_c5qu', 'ACTIVE', '{"purpose": "ci"}', NULL, NULL, '2100-01-01 00:00:00+00', NULL, '2026-11-21 01:06:02.859+00', '2026-11-21 01:06:02.859+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-9007-7209-8f2c-3e51d45dced0', '01a1fba3-8d3e-764d-a436-12bab144bac3', '\x5a1c8ba643847e0bbd5a42530aa48ac3c40dc37592ff196d6b7cf8ea154b9336', 'svc_suhk', 'ACTIVE', '{}', true, '{01a1fba3-8e7f-75bd-9751-5b00f5912638}', NULL, NULL, '2026-11-21 01:06:02.891+00', '2026-11-21 01:06:02.891+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3');


--
-- Data for Name: app_user; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.app_user VALUES
	('01a1fba3-8d3e-764d-a436-12bab144bac3', 'root@localhost', 'System Root User', 'root', 'ROOT', '2026-11-21 01:06:02.174+00', '2026-11-21 01:06:02.174+00'),
	('01a1fba3-8d92-758c-991b-e0a7b38335c5', 'admin@example.org', 'Admin', NULL, 'ADMIN', '2026-11-21 01:06:02.259+00', '2026-11-21 01:06:02.259+00'),
	('01a1fba3-8dc2-7329-a122-56a58731e136', 'Ada@example.org', 'Ada Ł.', 'ada', 'USER', '2026-11-21 01:06:02.307+00', '2026-11-21 01:06:02.307+00');


--
-- Data for Name: chunk; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.chunk VALUES
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9033-7722-b0c4-4fd8ebbbd5a0', 0, '01a1fba3-9209-70a9-b6b8-137833445c08', 'The boiler in the cellar was serviced on 3 March. Its pressure was 1.4 bar.

Der Keller ist feucht; im Frühjahr läuft die Pumpe. 地下室の暖房は三月に点検された。

The attic needs insulation — the roofer said so in May. 𝔘nusual letters, and a €20 note.', 0, 235, 'COMPLETED', NULL, '2026-11-21 01:06:03.435+00', '2026-11-21 01:06:03.435+00'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 0, '01a1fba3-927c-74de-bbad-ca7ea176dbf1', 'The boiler in the cellar was serviced on 3 March', 0, 48, 'COMPLETED', NULL, '2026-11-21 01:06:03.533+00', '2026-11-21 01:06:03.533+00'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 1, '01a1fba3-927c-74de-bbad-cc25fa9b4595', '. Its pressure was 1.4 bar.', 48, 75, 'COMPLETED', NULL, '2026-11-21 01:06:03.533+00', '2026-11-21 01:06:03.533+00'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 2, '01a1fba3-927d-757a-8650-d94540cd71b0', '

Der Keller ist feucht; im Frühjahr läuft die Pumpe', 75, 127, 'COMPLETED', NULL, '2026-11-21 01:06:03.533+00', '2026-11-21 01:06:03.533+00'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 3, '01a1fba3-927d-757a-8650-dfbc280fc572', '. 地下室の暖房は三月に点検された。', 127, 145, 'COMPLETED', NULL, '2026-11-21 01:06:03.533+00', '2026-11-21 01:06:03.533+00'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 4, '01a1fba3-927d-757a-8650-e35cd307eda3', '

The attic needs insulation — the roofer said so in May', 145, 201, 'COMPLETED', NULL, '2026-11-21 01:06:03.533+00', '2026-11-21 01:06:03.533+00'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 5, '01a1fba3-927d-757a-8650-e7f2c68029bd', '. 𝔘nusual letters, and a €20 note.', 201, 235, 'COMPLETED', NULL, '2026-11-21 01:06:03.533+00', '2026-11-21 01:06:03.533+00'),
	('01a1fba3-8ef7-758a-aa6d-526411959cdb', '01a1fba3-92a1-743d-82af-b7ec5d3545ae', 0, '01a1fba3-92b7-73e9-a956-14f608a2c689', 'The boiler in the cellar was serviced on 3 March. Its pressure was 1.4 bar.

', 0, 77, 'COMPLETED', NULL, '2026-11-21 01:06:03.579+00', '2026-11-21 01:06:03.579+00'),
	('01a1fba3-8ef7-758a-aa6d-526411959cdb', '01a1fba3-92a1-743d-82af-b7ec5d3545ae', 1, '01a1fba3-92b7-73e9-a956-1be55888c675', 'Der Keller ist feucht; im Frühjahr läuft die Pumpe. 地下室の暖房は三月に点検された。

', 77, 147, 'COMPLETED', NULL, '2026-11-21 01:06:03.579+00', '2026-11-21 01:06:03.579+00'),
	('01a1fba3-8ef7-758a-aa6d-526411959cdb', '01a1fba3-92a1-743d-82af-b7ec5d3545ae', 2, '01a1fba3-92b7-73e9-a956-1c76be5fc897', 'The attic needs insulation — the roofer said so in May. ', 147, 203, 'COMPLETED', NULL, '2026-11-21 01:06:03.579+00', '2026-11-21 01:06:03.579+00'),
	('01a1fba3-8ef7-758a-aa6d-526411959cdb', '01a1fba3-92a1-743d-82af-b7ec5d3545ae', 3, '01a1fba3-92b7-73e9-a956-21450823de99', '𝔘nusual letters, and a €20 note.', 203, 235, 'COMPLETED', NULL, '2026-11-21 01:06:03.579+00', '2026-11-21 01:06:03.579+00'),
	('01a1fba3-8f47-7278-ae6e-0e65d08c0501', '01a1fba3-92cd-72ed-be07-36cd1ebe19d9', 0, '01a1fba3-92db-75b8-bb27-a7b75209aff6', 'The boiler in the cellar was serviced on 3 March. Its pressure was 1.4 bar.

Der Keller ist feucht; im Frühjahr läuft die Pumpe. 地下室の暖房は三月に点検された。

The attic needs insulation — the roofer said so in May. 𝔘nusual letters, and a €20 note.', 0, 235, 'COMPLETED', NULL, '2026-11-21 01:06:03.623+00', '2026-11-21 01:06:03.623+00'),
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-9307-71f2-bd17-9ce44729de85', 0, '01a1fba3-9326-714c-b96b-af714367829e', 'The boiler in the cellar was serviced on 3 March. Its pressure was 1.4 bar.

Der Keller ist feucht; im Frühjahr läuft die Pumpe. 地下室の暖房は三月に点検された。

The attic needs insulation — the roofer said so in May. 𝔘nusual letters, and a €20 note.', 0, 235, 'COMPLETED', NULL, '2026-11-21 01:06:03.859+00', '2026-11-21 01:06:03.859+00'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9469-742d-bffa-728e1f13fd4b', 0, '01a1fba3-9497-765f-9206-c5c34d4a83b2', 'Ein Absatz', 0, 10, 'COMPLETED', NULL, '2026-11-21 01:06:04.059+00', '2026-11-21 01:06:04.059+00'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-94e0-71ba-aac9-276f2c73a0ed', 0, '01a1fba3-9501-770d-88fd-5de07e527762', 'nul  inside', 0, 11, 'COMPLETED', NULL, '2026-11-21 01:06:04.162+00', '2026-11-21 01:06:04.162+00'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9570-7388-a6cb-9796d5220428', 0, '01a1fba3-9599-74f0-ac93-ded7b99a6653', 'own config own config own config own ', 0, 37, 'COMPLETED', NULL, '2026-11-21 01:06:04.323+00', '2026-11-21 01:06:04.323+00'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9570-7388-a6cb-9796d5220428', 1, '01a1fba3-9599-74f0-ac93-e2b1cb103d52', 'config own config own config own config ', 37, 77, 'COMPLETED', NULL, '2026-11-21 01:06:04.323+00', '2026-11-21 01:06:04.323+00'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9570-7388-a6cb-9796d5220428', 2, '01a1fba3-9599-74f0-ac93-e6c7e5046fba', 'own config own config own config own ', 77, 114, 'COMPLETED', NULL, '2026-11-21 01:06:04.323+00', '2026-11-21 01:06:04.323+00'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9570-7388-a6cb-9796d5220428', 3, '01a1fba3-9599-74f0-ac93-e9237a30c29c', 'config own config own config own config ', 114, 154, 'COMPLETED', NULL, '2026-11-21 01:06:04.323+00', '2026-11-21 01:06:04.323+00'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9570-7388-a6cb-9796d5220428', 4, '01a1fba3-9599-74f0-ac93-efaeffc076ed', 'own config own config own config own ', 154, 191, 'COMPLETED', NULL, '2026-11-21 01:06:04.323+00', '2026-11-21 01:06:04.323+00'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9570-7388-a6cb-9796d5220428', 5, '01a1fba3-9599-74f0-ac93-f0018eafb5be', 'config own config own config ', 191, 220, 'COMPLETED', NULL, '2026-11-21 01:06:04.323+00', '2026-11-21 01:06:04.323+00');


--
-- Data for Name: content_part; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.content_part VALUES
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9033-7722-b0c4-493c7db56a95', 0, '\x54686520626f696c657220696e207468652063656c6c617220776173207365727669636564206f6e2033204d617263682e204974732070726573737572652077617320312e34206261722e0a0a446572204b656c6c657220697374206665756368743b20696d204672c3bc686a616872206cc3a4756674206469652050756d70652e20e59cb0e4b88be5aea4e381aee69a96e688bfe381afe4b889e69c88e381abe782b9e6a49ce38195e3828ce3819fe380820a0a546865206174746963206e6565647320696e73756c6174696f6e20e280942074686520726f6f666572207361696420736f20696e204d61792e20f09d94986e757375616c206c6574746572732c20616e64206120e282ac3230206e6f74652e'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', '01a1fba3-9258-7679-bd60-49d6b4ba505a', 0, '\x54686520626f696c657220696e207468652063656c6c617220776173207365727669636564206f6e2033204d617263682e204974732070726573737572652077617320312e34206261722e0a0a446572204b656c6c657220697374206665756368743b20696d204672c3bc686a616872206cc3a4756674206469652050756d70652e20e59cb0e4b88be5aea4e381aee69a96e688bfe381afe4b889e69c88e381abe782b9e6a49ce38195e3828ce3819fe380820a0a546865206174746963206e6565647320696e73756c6174696f6e20e280942074686520726f6f666572207361696420736f20696e204d61792e20f09d94986e757375616c206c6574746572732c20616e64206120e282ac3230206e6f74652e'),
	('01a1fba3-8ef7-758a-aa6d-526411959cdb', '01a1fba3-92a1-743d-82af-b18fba4dbf72', 0, '\x54686520626f696c657220696e207468652063656c6c617220776173207365727669636564206f6e2033204d617263682e204974732070726573737572652077617320312e34206261722e0a0a446572204b656c6c657220697374206665756368743b20696d204672c3bc686a616872206cc3a4756674206469652050756d70652e20e59cb0e4b88be5aea4e381aee69a96e688bfe381afe4b889e69c88e381abe782b9e6a49ce38195e3828ce3819fe380820a0a546865206174746963206e6565647320696e73756c6174696f6e20e280942074686520726f6f666572207361696420736f20696e204d61792e20f09d94986e757375616c206c6574746572732c20616e64206120e282ac3230206e6f74652e'),
	('01a1fba3-8f47-7278-ae6e-0e65d08c0501', '01a1fba3-92cd-72ed-be07-338d6973bee0', 0, '\x54686520626f696c657220696e207468652063656c6c617220776173207365727669636564206f6e2033204d617263682e204974732070726573737572652077617320312e34206261722e0a0a446572204b656c6c657220697374206665756368743b20696d204672c3bc686a616872206cc3a4756674206469652050756d70652e20e59cb0e4b88be5aea4e381aee69a96e688bfe381afe4b889e69c88e381abe782b9e6a49ce38195e3828ce3819fe380820a0a546865206174746963206e6565647320696e73756c6174696f6e20e280942074686520726f6f666572207361696420736f20696e204d61792e20f09d94986e757375616c206c6574746572732c20616e64206120e282ac3230206e6f74652e'),
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-9307-71f2-bd17-981a89fcd85e', 0, '\x54686520626f696c657220696e207468652063656c6c617220776173207365727669636564206f6e2033204d617263682e204974732070726573737572652077617320312e34206261722e0a0a446572204b656c6c657220697374206665756368743b20696d204672c3bc686a616872206cc3a4756674206469652050756d70652e20e59cb0e4b88be5aea4e381aee69a96e688bfe381afe4b889e69c88e381abe782b9e6a49ce38195e3828ce3819fe380820a0a546865206174746963206e6565647320696e73756c6174696f6e20e280942074686520726f6f666572207361696420736f20696e204d61792e20f09d94986e757375616c206c6574746572732c20616e64206120e282ac3230206e6f74652e'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9469-742d-bffa-6ec4c46e484f', 0, '\x3c703e45696e203c623e41627361747a3c2f623e3c2f703e'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-94df-708c-92f7-c5b4b0babbcb', 0, '\x6e756c200020696e73696465'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-956f-7248-ae2b-ecb0e38e5662', 0, '\x6f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e666967206f776e20636f6e66696720'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-960f-746f-9377-5e184b867e16', 0, '\x63616e6e6f742062652072656164'),
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-9697-7055-bd34-1a09d0846faa', 0, '\x5468652070726f7669646572207761732061776179207768656e20746869732063616d652e'),
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-9734-74aa-9eaf-22ca80068da6', 0, '\x5468652073657276657220776173206b696c6c6564206f76657220746869732e');


--
-- Data for Name: content_staging; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: embedder; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.embedder VALUES
	('01a1fba3-8dee-749d-bf83-83c627d443f0', '01a1fba3-8d3e-764d-a436-12bab144bac3', 'Words', '', 'BUILTIN', '', '', 'lexical-v1', 32, 'DENSE', NULL, '{TEXT}', '{"default": "true"}', '', '', NULL, '', 'de3d0d8a4113fa7610346838ab4f9ad9cf755b5535b8b0ea9433d769fea5ec53', '2026-11-21 01:06:02.35+00', '2026-11-21 01:06:02.35+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8e24-708a-87b6-a5d1638db450', '01a1fba3-8d3e-764d-a436-12bab144bac3', 'Small text', 'With a sealed secret', 'OPENAI', 'http://127.0.0.1:33645/v1', '/embeddings', 'text-small', 8, 'DENSE', NULL, '{TEXT}', '{}', '', '', '{"kind": "CREDENTIAL_KIND_API_KEY", "labels": {}, "prefix": "Bearer ", "headerName": "Authorization", "sealedSecret": "AY1/XyomX7QBdCcgEdssXgXMbsOSUHvSD0owWieAwxU7lf90B0s8xpfoUhNPSR5jIiShGh4="}', '26bb518b6cfe4847f8673c3a8a415b148b7dd6c9df11b65343fb401284d22915', 'f91696f68c5c863ace63ad7ab265fd0b0c65b87bfeeaa072155bdd9a141c7c27', '2026-11-21 01:06:02.407+00', '2026-11-21 01:06:02.407+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3');


--
-- Data for Name: job; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job OVERRIDING SYSTEM VALUE VALUES
	(1, 'document_processor', '01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9033-7722-b0c4-4fd8ebbbd5a0', 'SUCCEEDED', 1, 5, '2026-11-21 01:06:02.932+00', NULL, NULL, NULL, NULL, 0, NULL, '2026-11-21 01:06:02.932+00', '2026-11-21 01:06:03.435+00'),
	(2, 'document_processor', '01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 'SUCCEEDED', 1, 5, '2026-11-21 01:06:03.48+00', NULL, NULL, NULL, NULL, 0, NULL, '2026-11-21 01:06:03.481+00', '2026-11-21 01:06:03.533+00'),
	(3, 'document_processor', '01a1fba3-8ef7-758a-aa6d-526411959cdb', '01a1fba3-92a1-743d-82af-b7ec5d3545ae', 'SUCCEEDED', 1, 5, '2026-11-21 01:06:03.554+00', NULL, NULL, NULL, NULL, 0, NULL, '2026-11-21 01:06:03.554+00', '2026-11-21 01:06:03.579+00'),
	(4, 'document_processor', '01a1fba3-8f47-7278-ae6e-0e65d08c0501', '01a1fba3-92cd-72ed-be07-36cd1ebe19d9', 'SUCCEEDED', 1, 5, '2026-11-21 01:06:03.597+00', NULL, NULL, NULL, NULL, 0, NULL, '2026-11-21 01:06:03.597+00', '2026-11-21 01:06:03.623+00'),
	(5, 'document_processor', '01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-9307-71f2-bd17-9ce44729de85', 'SUCCEEDED', 1, 5, '2026-11-21 01:06:03.656+00', NULL, NULL, NULL, NULL, 0, NULL, '2026-11-21 01:06:03.656+00', '2026-11-21 01:06:03.859+00'),
	(6, 'document_processor', '01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9469-742d-bffa-728e1f13fd4b', 'SUCCEEDED', 1, 5, '2026-11-21 01:06:04.009+00', NULL, NULL, NULL, NULL, 0, NULL, '2026-11-21 01:06:04.01+00', '2026-11-21 01:06:04.059+00'),
	(7, 'document_processor', '01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-94e0-71ba-aac9-276f2c73a0ed', 'SUCCEEDED', 1, 5, '2026-11-21 01:06:04.131+00', NULL, NULL, NULL, NULL, 0, NULL, '2026-11-21 01:06:04.131+00', '2026-11-21 01:06:04.162+00'),
	(8, 'document_processor', '01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-952b-764a-bcd4-b355a8b5b5e9', 'SUCCEEDED', 1, 5, '2026-11-21 01:06:04.203+00', NULL, NULL, NULL, NULL, 0, NULL, '2026-11-21 01:06:04.204+00', '2026-11-21 01:06:04.231+00'),
	(9, 'document_processor', '01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9570-7388-a6cb-9796d5220428', 'SUCCEEDED', 1, 5, '2026-11-21 01:06:04.283+00', NULL, NULL, NULL, NULL, 0, NULL, '2026-11-21 01:06:04.284+00', '2026-11-21 01:06:04.323+00'),
	(10, 'document_processor', '01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-960f-746f-9377-628141b40954', 'FAILED', 1, 5, '2026-11-21 01:06:04.488+00', NULL, NULL, NULL, NULL, 0, 'Unsupported content type: application/x-thing', '2026-11-21 01:06:04.439+00', '2026-11-21 01:06:04.488+00'),
	(11, 'document_processor', '01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-969a-7388-b46c-2526bb44ef1c', 'PENDING', 0, 5, '2026-11-21 01:07:04.64+00', NULL, NULL, NULL, '2026-11-21 01:06:04.64+00', 1, 'OPENAI at 127.0.0.1:33645 answered 503', '2026-11-21 01:06:04.571+00', '2026-11-21 01:06:04.64+00'),
	(12, 'document_processor', '01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-9734-74aa-9eaf-25a124722fee', 'RUNNING', 1, 5, '2026-11-21 01:06:04.725+00', '2026-11-21 01:07:04.733+00', 'vm-16115/2', '7a320d82-7bc5-429e-8d51-35f08a46794a', NULL, 0, NULL, '2026-11-21 01:06:04.725+00', '2026-11-21 01:06:04.733+00');


--
-- Data for Name: job_attempt; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_attempt OVERRIDING SYSTEM VALUE VALUES
	(1, 1, '2026-11-21 01:06:02.939+00', '2026-11-21 01:06:03.435+00', true, 'vm-16115/1', NULL, 1, 1, 'chunks', '2026-11-21 01:06:03.435+00', NULL, NULL),
	(2, 2, '2026-11-21 01:06:03.482+00', '2026-11-21 01:06:03.533+00', true, 'vm-16115/2', NULL, 6, 6, 'chunks', '2026-11-21 01:06:03.533+00', NULL, NULL),
	(3, 3, '2026-11-21 01:06:03.556+00', '2026-11-21 01:06:03.579+00', true, 'vm-16115/1', NULL, 4, 4, 'chunks', '2026-11-21 01:06:03.579+00', NULL, NULL),
	(4, 4, '2026-11-21 01:06:03.603+00', '2026-11-21 01:06:03.623+00', true, 'vm-16115/2', NULL, 1, 1, 'chunks', '2026-11-21 01:06:03.623+00', NULL, NULL),
	(5, 5, '2026-11-21 01:06:03.663+00', '2026-11-21 01:06:03.859+00', true, 'vm-16115/1', NULL, 1, 1, 'chunks', '2026-11-21 01:06:03.859+00', NULL, NULL),
	(6, 6, '2026-11-21 01:06:04.015+00', '2026-11-21 01:06:04.059+00', true, 'vm-16115/2', NULL, 1, 1, 'chunks', '2026-11-21 01:06:04.059+00', NULL, NULL),
	(7, 7, '2026-11-21 01:06:04.138+00', '2026-11-21 01:06:04.162+00', true, 'vm-16115/1', NULL, 1, 1, 'chunks', '2026-11-21 01:06:04.162+00', NULL, NULL),
	(8, 8, '2026-11-21 01:06:04.206+00', '2026-11-21 01:06:04.231+00', true, 'vm-16115/2', NULL, 0, 0, 'chunks', '2026-11-21 01:06:04.231+00', NULL, NULL),
	(9, 9, '2026-11-21 01:06:04.286+00', '2026-11-21 01:06:04.323+00', true, 'vm-16115/1', NULL, 6, 6, 'chunks', '2026-11-21 01:06:04.323+00', NULL, NULL),
	(10, 10, '2026-11-21 01:06:04.45+00', '2026-11-21 01:06:04.488+00', false, 'vm-16115/2', NULL, 0, NULL, 'chunks', NULL, 'Unsupported content type: application/x-thing', 'ExtractionError: Unsupported content type: application/x-thing
    at fromWireError (file:///srv/svc/dist/server/workers/errors.js:34:16)
    at #onMessage (file:///srv/svc/dist/server/workers/pool-thread.js:75:37)
    at Worker.<anonymous> (file:///srv/svc/dist/server/workers/pool-thread.js:25:65)
    at Worker.emit (node:events:524:28)
    at MessagePort.<anonymous> (node:internal/worker:268:53)
    at [nodejs.internal.kHybridDispatch] (node:internal/event_target:831:20)
    at MessagePort.<anonymous> (node:internal/per_context/messageport:23:28)
caused by: ExtractionError: Unsupported content type: application/x-thing
    at extractText (file:///srv/svc/dist/server/workers/extract/extract-text.js:16:15)
    at prepare (file:///srv/svc/dist/server/workers/prepare.js:8:18)
    at perform (file:///srv/svc/dist/server/workers/thread.js:10:18)
    at MessagePort.<anonymous> (file:///srv/svc/dist/server/workers/thread.js:16:5)
    at [nodejs.internal.kHybridDispatch] (node:internal/event_target:831:20)
    at MessagePort.<anonymous> (node:internal/per_context/messageport:23:28)'),
	(11, 11, '2026-11-21 01:06:04.58+00', '2026-11-21 01:06:04.64+00', false, 'vm-16115/1', 'The provider was away; not counted as an attempt', 0, NULL, 'chunks', '2026-11-21 01:06:04.619+00', 'OPENAI at 127.0.0.1:33645 answered 503', 'ProviderError: OPENAI at 127.0.0.1:33645 answered 503
    at statusError (file:///srv/svc/dist/server/providers/status-errors.js:18:12)
    at EmbedCaller.send (file:///srv/svc/dist/server/providers/embedders/call.js:44:25)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
    at async once (file:///srv/svc/dist/server/providers/embedders/client.js:94:28)
    at async observed (file:///srv/svc/dist/server/providers/observer.js:7:24)
    at async CallSlots.run (file:///srv/svc/dist/server/providers/embedders/slots.js:24:20)
    at async withRetries (file:///srv/svc/dist/server/providers/retry.js:12:20)
    at async #batch (file:///srv/svc/dist/server/providers/embedders/client.js:66:20)
    at async file:///srv/svc/dist/server/providers/embedders/client.js:55:41
    at async worker (file:///srv/svc/dist/server/providers/embedders/map-bounded.js:11:17)'),
	(12, 12, '2026-11-21 01:06:04.733+00', NULL, NULL, 'vm-16115/2', NULL, 0, NULL, 'chunks', NULL, NULL, NULL);


--
-- Data for Name: memory; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memory VALUES
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9033-7722-b0c4-4fd8ebbbd5a0', '01a1fba3-9033-7722-b0c4-493c7db56a95', 276, '\xda71bfc4952647b177e71214ca62b874d4336e4be7c93272c6e9c3ef8fc19c10', NULL, 'text/plain', 'COMPLETED', 'PENDING', 0, false, '{"room": "cellar", "tags": ["heating", "ölig"], "year": 2026, "nested": {"deep": [1, null, {"x": 1.5}]}}', NULL, 1, NULL, '2026-11-21 01:06:02.932+00', '2026-11-21 01:06:03.435+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', '01a1fba3-9258-7679-bd60-4f398ecd4cb9', '01a1fba3-9258-7679-bd60-49d6b4ba505a', 276, '\xda71bfc4952647b177e71214ca62b874d4336e4be7c93272c6e9c3ef8fc19c10', NULL, 'text/plain', 'COMPLETED', 'PENDING', 0, false, '{"room": "cellar", "tags": ["heating", "ölig"], "year": 2026, "nested": {"deep": [1, null, {"x": 1.5}]}}', NULL, 6, NULL, '2026-11-21 01:06:03.481+00', '2026-11-21 01:06:03.533+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8ef7-758a-aa6d-526411959cdb', '01a1fba3-92a1-743d-82af-b7ec5d3545ae', '01a1fba3-92a1-743d-82af-b18fba4dbf72', 276, '\xda71bfc4952647b177e71214ca62b874d4336e4be7c93272c6e9c3ef8fc19c10', NULL, 'text/plain', 'COMPLETED', 'PENDING', 0, false, '{"room": "cellar", "tags": ["heating", "ölig"], "year": 2026, "nested": {"deep": [1, null, {"x": 1.5}]}}', NULL, 4, '2126-10-28 01:06:03.553+00', '2026-11-21 01:06:03.554+00', '2026-11-21 01:06:03.579+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8f47-7278-ae6e-0e65d08c0501', '01a1fba3-92cd-72ed-be07-36cd1ebe19d9', '01a1fba3-92cd-72ed-be07-338d6973bee0', 276, '\xda71bfc4952647b177e71214ca62b874d4336e4be7c93272c6e9c3ef8fc19c10', NULL, 'text/plain', 'COMPLETED', 'PENDING', 0, false, '{"room": "cellar", "tags": ["heating", "ölig"], "year": 2026, "nested": {"deep": [1, null, {"x": 1.5}]}}', NULL, 1, NULL, '2026-11-21 01:06:03.597+00', '2026-11-21 01:06:03.623+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-9307-71f2-bd17-9ce44729de85', '01a1fba3-9307-71f2-bd17-981a89fcd85e', 276, '\xda71bfc4952647b177e71214ca62b874d4336e4be7c93272c6e9c3ef8fc19c10', NULL, 'text/plain', 'COMPLETED', 'PENDING', 0, false, '{"room": "cellar", "tags": ["heating", "ölig"], "year": 2026, "nested": {"deep": [1, null, {"x": 1.5}]}}', NULL, 1, NULL, '2026-11-21 01:06:03.656+00', '2026-11-21 01:06:03.859+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9469-742d-bffa-728e1f13fd4b', '01a1fba3-9469-742d-bffa-6ec4c46e484f', 24, '\x32c4497072a7b6b47dcf324364279d7ffaaa1853c8a50846ff04f04e739abb18', NULL, 'text/html', 'COMPLETED', 'PENDING', 0, false, '{}', NULL, 1, NULL, '2026-11-21 01:06:04.01+00', '2026-11-21 01:06:04.059+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-94e0-71ba-aac9-276f2c73a0ed', '01a1fba3-94df-708c-92f7-c5b4b0babbcb', 12, '\x0f3ec425dfce373155c5b8efe9ab3353281442b283cb4e7c2365747b17020013', 'notes/nul.txt', 'text/plain', 'COMPLETED', 'PENDING', 0, false, '{}', NULL, 1, NULL, '2026-11-21 01:06:04.131+00', '2026-11-21 01:06:04.162+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-952b-764a-bcd4-b355a8b5b5e9', '01a1fba3-952b-764a-bcd4-af4da121d3c4', 0, '\xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', NULL, 'text/plain', 'COMPLETED', 'PENDING', 0, false, '{}', NULL, 0, '2100-01-01 00:00:00+00', '2026-11-21 01:06:04.204+00', '2026-11-21 01:06:04.231+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9570-7388-a6cb-9796d5220428', '01a1fba3-956f-7248-ae2b-ecb0e38e5662', 220, '\xd906662a8aaa0c26c56308239b632f444244471cbc5728fceadfabd007570cd5', NULL, 'text/plain', 'COMPLETED', 'PENDING', 0, false, '{}', '{"recursive": {"chunkSize": 40, "separators": ["\n\n", "\n", " ", ""], "chunkOverlap": 0, "keepStrategy": "KEEP_END", "separatorIsRegex": false, "lengthMeasurement": "CHARACTER_COUNT"}}', 6, NULL, '2026-11-21 01:06:04.284+00', '2026-11-21 01:06:04.323+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-960f-746f-9377-628141b40954', '01a1fba3-960f-746f-9377-5e184b867e16', 14, '\xf2477db4085c7782d3f0f3477481c6c2126cdf6e58747e35b51ff0ae14b590a6', NULL, 'application/x-thing', 'FAILED', 'PENDING', 0, false, '{}', NULL, 0, NULL, '2026-11-21 01:06:04.439+00', '2026-11-21 01:06:04.488+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-969a-7388-b46c-2526bb44ef1c', '01a1fba3-9697-7055-bd34-1a09d0846faa', 37, '\x13545a043ea92f8510a3d703044338a2007b41d2ae6cc699af6de6ee176ac48d', NULL, 'text/plain', 'PENDING', 'PENDING', 0, false, '{}', NULL, 0, NULL, '2026-11-21 01:06:04.571+00', '2026-11-21 01:06:04.64+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-9734-74aa-9eaf-25a124722fee', '01a1fba3-9734-74aa-9eaf-22ca80068da6', 32, '\x9a1b2bf673cbca66b05c5e08e03c440bef1bd88106da7831956719904767a0ef', NULL, 'text/plain', 'PROCESSING', 'PENDING', 0, false, '{}', NULL, 0, NULL, '2026-11-21 01:06:04.725+00', '2026-11-21 01:06:04.735+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3');


--
-- Data for Name: schema_migration; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_migration VALUES
	(1, 'initial', '2c817bec78703ed4cc62d47ea6f5ec28cdd05a97c4773b1ae8e40f6984f53e8d', '2026-11-21 01:06:02.00431+00'),
	(2, 'filter_functions', 'd9cc55785c765c12236e592e79792f0ebc09bb3907bc5b3982d95c6fe07c1e35', '2026-11-21 01:06:02.06699+00');


--
-- Data for Name: server_state; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.server_state VALUES
	('secrets_key_fingerprint', '"06639d3afe148b62737382907767b58c1f57d7d0eee817db6de62222473eb447"'),
	('page_token_key', '"UtrDi+wQyqSg1u7r5eizQF1tEsa0UtSQrOsaFqSCE2E="');


--
-- Data for Name: space; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.space VALUES
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-8d3e-764d-a436-12bab144bac3', 'default everything', NULL, '{}', false, '{"recursive": {"chunkSize": 512, "separators": ["\n\n", "\n", " ", ""], "chunkOverlap": 64, "keepStrategy": "KEEP_END", "separatorIsRegex": false, "lengthMeasurement": "CHARACTER_COUNT"}}', NULL, '2026-11-21 01:06:02.491+00', '2026-11-21 01:06:02.491+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', '01a1fba3-8d3e-764d-a436-12bab144bac3', 'recursive', NULL, '{"team": "home"}', false, '{"recursive": {"chunkSize": 60, "separators": ["\n\n", ". "], "chunkOverlap": 20, "keepStrategy": "KEEP_START", "separatorIsRegex": false, "lengthMeasurement": "CHARACTER_COUNT"}}', NULL, '2026-11-21 01:06:02.565+00', '2026-11-21 01:06:02.565+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8ef7-758a-aa6d-526411959cdb', '01a1fba3-8dc2-7329-a122-56a58731e136', 'sentence', NULL, '{}', true, '{"sentence": {"maxChunkSize": 80, "minChunkSize": 20, "lengthMeasurement": "CHARACTER_COUNT", "enableLanguageDetection": true}}', 36500, '2026-11-21 01:06:02.599+00', '2026-11-21 01:06:02.599+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8f47-7278-ae6e-0e65d08c0501', '01a1fba3-8d3e-764d-a436-12bab144bac3', 'none', 'One chunk each', '{}', false, '{"none": {}}', NULL, '2026-11-21 01:06:02.692+00', '2026-11-21 01:06:02.692+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-8d92-758c-991b-e0a7b38335c5', 'two embedders', NULL, '{}', false, '{"recursive": {"chunkSize": 512, "separators": ["\n\n", "\n", " ", ""], "chunkOverlap": 64, "keepStrategy": "KEEP_END", "separatorIsRegex": false, "lengthMeasurement": "CHARACTER_COUNT"}}', NULL, '2026-11-21 01:06:02.711+00', '2026-11-21 01:06:02.711+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3');


--
-- Data for Name: space_embedder; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.space_embedder VALUES
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', '01a1fba3-8dee-749d-bf83-83c627d443f0', 0, 1, 6, false, '2026-11-21 01:06:02.565+00', '2026-11-21 01:06:02.565+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8ef7-758a-aa6d-526411959cdb', '01a1fba3-8dee-749d-bf83-83c627d443f0', 0, 1, 4, false, '2026-11-21 01:06:02.599+00', '2026-11-21 01:06:02.599+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8f47-7278-ae6e-0e65d08c0501', '01a1fba3-8dee-749d-bf83-83c627d443f0', 0, 1, 1, false, '2026-11-21 01:06:02.692+00', '2026-11-21 01:06:02.692+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-8e24-708a-87b6-a5d1638db450', 0, 0.75, 1, false, '2026-11-21 01:06:02.711+00', '2026-11-21 01:06:02.711+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-8dee-749d-bf83-83c627d443f0', 1, -0.25, 1, false, '2026-11-21 01:06:02.711+00', '2026-11-21 01:06:02.711+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-8dee-749d-bf83-83c627d443f0', 0, 1, 9, false, '2026-11-21 01:06:02.491+00', '2026-11-21 01:06:02.491+00', '01a1fba3-8d3e-764d-a436-12bab144bac3', '01a1fba3-8d3e-764d-a436-12bab144bac3');


--
-- Data for Name: text_part; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.text_part VALUES
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9033-7722-b0c4-4fd8ebbbd5a0', 0, 0, 'The boiler in the cellar was serviced on 3 March. Its pressure was 1.4 bar.

Der Keller ist feucht; im Frühjahr läuft die Pumpe. 地下室の暖房は三月に点検された。

The attic needs insulation — the roofer said so in May. 𝔘nusual letters, and a €20 note.'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 0, 0, 'The boiler in the cellar was serviced on 3 March. Its pressure was 1.4 bar.

Der Keller ist feucht; im Frühjahr läuft die Pumpe. 地下室の暖房は三月に点検された。

The attic needs insulation — the roofer said so in May. 𝔘nusual letters, and a €20 note.'),
	('01a1fba3-8ef7-758a-aa6d-526411959cdb', '01a1fba3-92a1-743d-82af-b7ec5d3545ae', 0, 0, 'The boiler in the cellar was serviced on 3 March. Its pressure was 1.4 bar.

Der Keller ist feucht; im Frühjahr läuft die Pumpe. 地下室の暖房は三月に点検された。

The attic needs insulation — the roofer said so in May. 𝔘nusual letters, and a €20 note.'),
	('01a1fba3-8f47-7278-ae6e-0e65d08c0501', '01a1fba3-92cd-72ed-be07-36cd1ebe19d9', 0, 0, 'The boiler in the cellar was serviced on 3 March. Its pressure was 1.4 bar.

Der Keller ist feucht; im Frühjahr läuft die Pumpe. 地下室の暖房は三月に点検された。

The attic needs insulation — the roofer said so in May. 𝔘nusual letters, and a €20 note.'),
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-9307-71f2-bd17-9ce44729de85', 0, 0, 'The boiler in the cellar was serviced on 3 March. Its pressure was 1.4 bar.

Der Keller ist feucht; im Frühjahr läuft die Pumpe. 地下室の暖房は三月に点検された。

The attic needs insulation — the roofer said so in May. 𝔘nusual letters, and a €20 note.'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9469-742d-bffa-728e1f13fd4b', 0, 0, 'Ein Absatz'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-94e0-71ba-aac9-276f2c73a0ed', 0, 0, 'nul  inside'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-952b-764a-bcd4-b355a8b5b5e9', 0, 0, ''),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', '01a1fba3-9570-7388-a6cb-9796d5220428', 0, 0, 'own config own config own config own config own config own config own config own config own config own config own config own config own config own config own config own config own config own config own config own config '),
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', '01a1fba3-969a-7388-b46c-2526bb44ef1c', 0, 0, 'The provider was away when this came.');


--
-- Data for Name: vector_01a1fba38dee749dbf8383c627d443f0_shared; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.vector_01a1fba38dee749dbf8383c627d443f0_shared VALUES
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', false, '01a1fba3-9033-7722-b0c4-4fd8ebbbd5a0', 0, '[0.0074920654,-0.1463623,0.26904297,0.2590332,0.22094727,0.01889038,-0.045654297,-0.30493164,-0.23864746,0.07525635,0.03656006,0.0178833,0.18920898,-0.21862793,0.088134766,-0.30517578,0.35375977,0.004032135,-0.07879639,0.19787598,0.10443115,0.11206055,-0.11669922,-0.25219727,-0.2705078,-0.0003976822,0.0073509216,0.080200195,-0.14953613,-0.07196045,-0.1529541,0.20996094]'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', false, '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 0, '[-0.28222656,-0.18774414,0.18225098,0.004055023,0.4790039,-0.06677246,-0.33789062,0.034088135,-0.15661621,0.09832764,0.14208984,0.079956055,-0.058746338,0.0602417,-0.08416748,0.24645996,0.13256836,-0.2142334,0.023895264,-0.06781006,-0.080078125,0.052642822,0.028030396,0.19384766,-0.10479736,0.19543457,-0.12408447,-0.13171387,-0.21313477,-0.24133301,-0.033172607,0.2529297]'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', false, '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 1, '[-0.27270508,-0.3046875,-0.04309082,0.43701172,0.09979248,0.0064201355,0.12548828,-0.11419678,0.018112183,0.09277344,-0.18762207,-0.006690979,-0.19726562,-0.028717041,0.21984863,-0.19189453,0.26904297,-0.026901245,-0.14221191,0.27807617,0.36083984,0,0.14208984,-0.09979248,0,0,0.18908691,0.09979248,0.07318115,-0.15258789,-0.15441895,-0.053710938]'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', false, '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 2, '[0.45483398,0.084106445,0.04324341,0.025238037,0.12695312,0.012130737,-0.11682129,-0.16906738,-0.2130127,0.039001465,0.21447754,-0.14001465,0.38476562,-0.0715332,0.085876465,-0.07684326,0.15515137,0.064697266,-0.17382812,0.39916992,-0.07867432,0.040374756,-0.09869385,0.34106445,-0.14038086,0.14013672,0.08050537,0.11328125,0.15942383,-0.06604004,0.01638794,-0.07574463]'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', false, '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 3, '[0.13574219,-0.0982666,0.2590332,0.14343262,-0.15576172,0.093688965,0.15783691,-0.31225586,-0.07287598,-0.07287598,0.072631836,-0.035186768,0.14855957,0.015312195,0.07312012,-0.43725586,0.19873047,0.10028076,-0.060546875,-0.07537842,0.13134766,0.0095825195,-0.12359619,-0.4501953,-0.13110352,-0.1005249,-0.03842163,-0.18603516,-0.22644043,0.12585449,-0.20129395,0.16589355]'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', false, '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 4, '[-0.33276367,0.010604858,0.17382812,-0.24194336,0.13830566,-0.19848633,-0.22741699,0,-0.18188477,0.08251953,-0.37353516,-0.11633301,-0.008003235,-0.21179199,0.11602783,-0.093322754,0.080444336,-0.19714355,0.13500977,0.26733398,0.0680542,0.26733398,-0.050872803,-0.064208984,-0.06854248,0.059143066,-0.0030765533,0.35205078,-0.10736084,0.14819336,0.12023926,0.17944336]'),
	('01a1fba3-8ed1-72e8-9d76-f1ba5785d2e3', false, '01a1fba3-9258-7679-bd60-4f398ecd4cb9', 5, '[-0.046691895,0.06109619,-0.0051460266,0.27392578,0.31347656,0.057556152,-0.0032844543,0.030578613,-0.11029053,0.11883545,-0.011940002,0.33911133,0.12976074,-0.52734375,-0.16027832,0.093933105,0.13720703,0.106933594,0.06109619,0,-0.15026855,0.05770874,-0.12219238,-0.19177246,-0.28149414,-0.10827637,-0.0134887695,0.29907227,0.064941406,-0.2130127,0.0085372925,0.06109619]'),
	('01a1fba3-8ef7-758a-aa6d-526411959cdb', false, '01a1fba3-92a1-743d-82af-b7ec5d3545ae', 0, '[-0.38500977,-0.33862305,0.08642578,0.33007812,0.4104004,-0.04699707,-0.1583252,-0.08276367,-0.10015869,0.13269043,-0.023773193,0.052856445,-0.17419434,0.039367676,0.08685303,0.04827881,0.27539062,-0.18701172,-0.06274414,0.13757324,0.1842041,0.01473999,0.1496582,0.07220459,-0.07513428,0.14013672,0.034240723,-0.027633667,-0.08843994,-0.27514648,-0.13476562,0.14538574]'),
	('01a1fba3-8ef7-758a-aa6d-526411959cdb', false, '01a1fba3-92a1-743d-82af-b7ec5d3545ae', 1, '[0.31445312,-0.05303955,0.25195312,0.14001465,-0.08685303,0.08959961,0.09295654,-0.36669922,-0.15563965,-0.049224854,0.15612793,-0.09088135,0.29638672,-0.016403198,0.10217285,-0.4267578,0.24475098,0.11773682,-0.12805176,0.10064697,0.08520508,0.01210022,-0.15307617,-0.26171875,-0.17749023,-0.031433105,-0.0006079674,-0.11981201,-0.13684082,0.08557129,-0.17456055,0.11755371]'),
	('01a1fba3-8ef7-758a-aa6d-526411959cdb', false, '01a1fba3-92a1-743d-82af-b7ec5d3545ae', 2, '[-0.33276367,0.010604858,0.17382812,-0.24194336,0.13830566,-0.19848633,-0.22741699,0,-0.18188477,0.08251953,-0.37353516,-0.11633301,-0.008003235,-0.21179199,0.11602783,-0.093322754,0.080444336,-0.19714355,0.13500977,0.26733398,0.0680542,0.26733398,-0.050872803,-0.064208984,-0.06854248,0.059143066,-0.0030765533,0.35205078,-0.10736084,0.14819336,0.12023926,0.17944336]'),
	('01a1fba3-8ef7-758a-aa6d-526411959cdb', false, '01a1fba3-92a1-743d-82af-b7ec5d3545ae', 3, '[-0.046691895,0.06109619,-0.0051460266,0.27392578,0.31347656,0.057556152,-0.0032844543,0.030578613,-0.11029053,0.11883545,-0.011940002,0.33911133,0.12976074,-0.52734375,-0.16027832,0.093933105,0.13720703,0.106933594,0.06109619,0,-0.15026855,0.05770874,-0.12219238,-0.19177246,-0.28149414,-0.10827637,-0.0134887695,0.29907227,0.064941406,-0.2130127,0.0085372925,0.06109619]'),
	('01a1fba3-8f47-7278-ae6e-0e65d08c0501', false, '01a1fba3-92cd-72ed-be07-36cd1ebe19d9', 0, '[0.0074920654,-0.1463623,0.26904297,0.2590332,0.22094727,0.01889038,-0.045654297,-0.30493164,-0.23864746,0.07525635,0.03656006,0.0178833,0.18920898,-0.21862793,0.088134766,-0.30517578,0.35375977,0.004032135,-0.07879639,0.19787598,0.10443115,0.11206055,-0.11669922,-0.25219727,-0.2705078,-0.0003976822,0.0073509216,0.080200195,-0.14953613,-0.07196045,-0.1529541,0.20996094]'),
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', false, '01a1fba3-9307-71f2-bd17-9ce44729de85', 0, '[0.0074920654,-0.1463623,0.26904297,0.2590332,0.22094727,0.01889038,-0.045654297,-0.30493164,-0.23864746,0.07525635,0.03656006,0.0178833,0.18920898,-0.21862793,0.088134766,-0.30517578,0.35375977,0.004032135,-0.07879639,0.19787598,0.10443115,0.11206055,-0.11669922,-0.25219727,-0.2705078,-0.0003976822,0.0073509216,0.080200195,-0.14953613,-0.07196045,-0.1529541,0.20996094]'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', false, '01a1fba3-9469-742d-bffa-728e1f13fd4b', 0, '[0,0,0,-0.29711914,0.045776367,0.1381836,0.1381836,-0.15893555,0,0.1381836,0.39160156,-0.1381836,0,0,0.09246826,-0.1381836,-0.045776367,-0.2763672,-0.1381836,0.09246826,-0.09246826,0,-0.4584961,0.1381836,-0.1381836,0,0.1381836,0.1381836,-0.3659668,0,0.045837402,-0.29907227]'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', false, '01a1fba3-94e0-71ba-aac9-276f2c73a0ed', 0, '[0,-0.021636963,0,0,0.24914551,0.13537598,0,0.1730957,-0.37719727,-0.11376953,0,0.26513672,0.27807617,0.13537598,-0.11376953,0,-0.36279297,0,-0.30273438,0.13537598,-0.11376953,-0.021636963,0,0,-0.30273438,-0.37719727,0.16442871,0,0.11376953,0.11376953,-0.11376953,0]'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', false, '01a1fba3-9570-7388-a6cb-9796d5220428', 0, '[0.1538086,0.12548828,-0.1538086,-0.1538086,-0.059509277,-0.22509766,0,0,0,-0.12670898,0.20251465,0.12670898,-0.20483398,0,0.1538086,0.31030273,0,0.1538086,0.3076172,0.1538086,0,0.2565918,0,-0.1538086,0.38330078,-0.1538086,0.1538086,0.34277344,0.1538086,-0.1538086,-0.1538086,0.09967041]'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', false, '01a1fba3-9570-7388-a6cb-9796d5220428', 1, '[0.15600586,0.12927246,-0.15600586,-0.15600586,-0.05822754,-0.21240234,0,0,0,-0.11956787,0.20544434,0.11956787,-0.20776367,0,0.15600586,0.30371094,0,0.15600586,0.31201172,0.15600586,0,0.2602539,0,-0.15600586,0.39794922,-0.15600586,0.15600586,0.32543945,0.15600586,-0.15600586,-0.15600586,0.08306885]'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', false, '01a1fba3-9570-7388-a6cb-9796d5220428', 2, '[0.1538086,0.12548828,-0.1538086,-0.1538086,-0.059509277,-0.22509766,0,0,0,-0.12670898,0.20251465,0.12670898,-0.20483398,0,0.1538086,0.31030273,0,0.1538086,0.3076172,0.1538086,0,0.2565918,0,-0.1538086,0.38330078,-0.1538086,0.1538086,0.34277344,0.1538086,-0.1538086,-0.1538086,0.09967041]'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', false, '01a1fba3-9570-7388-a6cb-9796d5220428', 3, '[0.15600586,0.12927246,-0.15600586,-0.15600586,-0.05822754,-0.21240234,0,0,0,-0.11956787,0.20544434,0.11956787,-0.20776367,0,0.15600586,0.30371094,0,0.15600586,0.31201172,0.15600586,0,0.2602539,0,-0.15600586,0.39794922,-0.15600586,0.15600586,0.32543945,0.15600586,-0.15600586,-0.15600586,0.08306885]'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', false, '01a1fba3-9570-7388-a6cb-9796d5220428', 4, '[0.1538086,0.12548828,-0.1538086,-0.1538086,-0.059509277,-0.22509766,0,0,0,-0.12670898,0.20251465,0.12670898,-0.20483398,0,0.1538086,0.31030273,0,0.1538086,0.3076172,0.1538086,0,0.2565918,0,-0.1538086,0.38330078,-0.1538086,0.1538086,0.34277344,0.1538086,-0.1538086,-0.1538086,0.09967041]'),
	('01a1fba3-8e7f-75bd-9751-5b00f5912638', false, '01a1fba3-9570-7388-a6cb-9796d5220428', 5, '[0.15673828,0.1307373,-0.15673828,-0.15673828,-0.060668945,-0.20654297,0,0,0,-0.11627197,0.2064209,0.11627197,-0.20874023,0,0.15673828,0.3005371,0,0.15673828,0.31347656,0.15673828,0,0.2614746,0,-0.15673828,0.40356445,-0.15673828,0.15673828,0.32055664,0.15673828,-0.15673828,-0.15673828,0.07574463]');


--
-- Data for Name: vector_01a1fba38e24708a87b6a5d1638db450_shared; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.vector_01a1fba38e24708a87b6a5d1638db450_shared VALUES
	('01a1fba3-8f64-752e-8f0f-29ec316b3016', false, '01a1fba3-9307-71f2-bd17-9ce44729de85', 0, '[0.017654419,0.05407715,0.48046875,0.7402344,0.25048828,0.24743652,0.18139648,-0.24719238]');


--
-- Name: job_attempt_attempt_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.job_attempt_attempt_id_seq', 12, true);


--
-- Name: job_job_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.job_job_id_seq', 12, true);


--
-- Name: api_key api_key_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_hash_key UNIQUE (key_hash);


--
-- Name: api_key api_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (api_key_id);


--
-- Name: app_user app_user_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.app_user
    ADD CONSTRAINT app_user_pkey PRIMARY KEY (user_id);


--
-- Name: chunk chunk_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (space_id, memory_id, sequence);


--
-- Name: content_part content_part_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.content_part
    ADD CONSTRAINT content_part_pkey PRIMARY KEY (space_id, content_id, part);


--
-- Name: content_staging content_staging_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.content_staging
    ADD CONSTRAINT content_staging_pkey PRIMARY KEY (space_id, content_id);


--
-- Name: embedder embedder_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.embedder
    ADD CONSTRAINT embedder_pkey PRIMARY KEY (embedder_id);


--
-- Name: embedder embedder_same_target; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.embedder
    ADD CONSTRAINT embedder_same_target UNIQUE (owner_id, target_fingerprint);


--
-- Name: job_attempt job_attempt_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_attempt
    ADD CONSTRAINT job_attempt_pkey PRIMARY KEY (attempt_id);


--
-- Name: job job_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (job_id);


--
-- Name: memory memory_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memory
    ADD CONSTRAINT memory_pkey PRIMARY KEY (space_id, memory_id);


--
-- Name: schema_migration schema_migration_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (version);


--
-- Name: server_state server_state_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.server_state
    ADD CONSTRAINT server_state_pkey PRIMARY KEY (key);


--
-- Name: space_embedder space_embedder_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.space_embedder
    ADD CONSTRAINT space_embedder_pkey PRIMARY KEY (space_id, embedder_id);


--
-- Name: space space_name_per_owner; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.space
    ADD CONSTRAINT space_name_per_owner UNIQUE (owner_id, name);


--
-- Name: space space_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.space
    ADD CONSTRAINT space_pkey PRIMARY KEY (space_id);


--
-- Name: text_part text_part_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.text_part
    ADD CONSTRAINT text_part_pkey PRIMARY KEY (space_id, memory_id, part);


--
-- Name: vector_01a1fba38dee749dbf8383c627d443f0 vector_01a1fba38dee749dbf8383c627d443f0_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vector_01a1fba38dee749dbf8383c627d443f0
    ADD CONSTRAINT vector_01a1fba38dee749dbf8383c627d443f0_pkey PRIMARY KEY (space_id, indexed, memory_id, sequence);


--
-- Name: vector_01a1fba38dee749dbf8383c627d443f0_shared vector_01a1fba38dee749dbf8383c627d443f0_shared_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vector_01a1fba38dee749dbf8383c627d443f0_shared
    ADD CONSTRAINT vector_01a1fba38dee749dbf8383c627d443f0_shared_pkey PRIMARY KEY (space_id, indexed, memory_id, sequence);


--
-- Name: vector_01a1fba38e24708a87b6a5d1638db450 vector_01a1fba38e24708a87b6a5d1638db450_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vector_01a1fba38e24708a87b6a5d1638db450
    ADD CONSTRAINT vector_01a1fba38e24708a87b6a5d1638db450_pkey PRIMARY KEY (space_id, indexed, memory_id, sequence);


--
-- Name: vector_01a1fba38e24708a87b6a5d1638db450_shared vector_01a1fba38e24708a87b6a5d1638db450_shared_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.vector_01a1fba38e24708a87b6a5d1638db450_shared
    ADD CONSTRAINT vector_01a1fba38e24708a87b6a5d1638db450_shared_pkey PRIMARY KEY (space_id, indexed, memory_id, sequence);


--
-- Name: api_key_of_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_key_of_user ON public.api_key USING btree (user_id, created_at DESC, api_key_id DESC);


--
-- Name: app_user_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX app_user_created ON public.app_user USING btree (created_at, user_id);


--
-- Name: app_user_email_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX app_user_email_key ON public.app_user USING btree (lower(email));


--
-- Name: app_user_single_root; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX app_user_single_root ON public.app_user USING btree (role) WHERE (role = 'ROOT'::text);


--
-- Name: app_user_username_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX app_user_username_key ON public.app_user USING btree (username);


--
-- Name: content_staging_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX content_staging_created ON public.content_staging USING btree (created_at);


--
-- Name: embedder_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX embedder_created ON public.embedder USING btree (created_at, embedder_id);


--
-- Name: job_attempt_of_job; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX job_attempt_of_job ON public.job_attempt USING btree (job_id, attempt_id DESC);


--
-- Name: job_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX job_due ON public.job USING btree (run_at, job_id) WHERE (status = 'PENDING'::text);


--
-- Name: job_finished; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX job_finished ON public.job USING btree (updated_at) WHERE (status = ANY (ARRAY['SUCCEEDED'::text, 'FAILED'::text, 'CANCELED'::text]));


--
-- Name: job_leased; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX job_leased ON public.job USING btree (lease_until) WHERE (status = 'RUNNING'::text);


--
-- Name: job_of_memory; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX job_of_memory ON public.job USING btree (space_id, memory_id, job_id DESC);


--
-- Name: memory_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_created ON public.memory USING btree (space_id, created_at, memory_id);


--
-- Name: memory_expiry; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_expiry ON public.memory USING btree (expires_at) WHERE (expires_at IS NOT NULL);


--
-- Name: memory_id_key; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX memory_id_key ON public.memory USING btree (memory_id);


--
-- Name: memory_updated; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_updated ON public.memory USING btree (space_id, updated_at, memory_id);


--
-- Name: space_created; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX space_created ON public.space USING btree (created_at, space_id);


--
-- Name: space_embedder_of_embedder; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX space_embedder_of_embedder ON public.space_embedder USING btree (embedder_id);


--
-- Name: space_public; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX space_public ON public.space USING btree (created_at, space_id) WHERE public_read;


--
-- Name: space_updated; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX space_updated ON public.space USING btree (updated_at, space_id);


--
-- Name: vector_01a1fba38dee749dbf8383c627d443f0_shared_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.vector_01a1fba38dee749dbf8383c627d443f0_pkey ATTACH PARTITION public.vector_01a1fba38dee749dbf8383c627d443f0_shared_pkey;


--
-- Name: vector_01a1fba38e24708a87b6a5d1638db450_shared_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.vector_01a1fba38e24708a87b6a5d1638db450_pkey ATTACH PARTITION public.vector_01a1fba38e24708a87b6a5d1638db450_shared_pkey;


--
-- Name: api_key api_key_user; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_user FOREIGN KEY (user_id) REFERENCES public.app_user(user_id) ON DELETE CASCADE;


--
-- Name: chunk chunk_memory; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chunk
    ADD CONSTRAINT chunk_memory FOREIGN KEY (space_id, memory_id) REFERENCES public.memory(space_id, memory_id) ON DELETE CASCADE;


--
-- Name: embedder embedder_owner; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.embedder
    ADD CONSTRAINT embedder_owner FOREIGN KEY (owner_id) REFERENCES public.app_user(user_id);


--
-- Name: job_attempt job_attempt_job; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_attempt
    ADD CONSTRAINT job_attempt_job FOREIGN KEY (job_id) REFERENCES public.job(job_id) ON DELETE CASCADE;


--
-- Name: memory memory_space; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memory
    ADD CONSTRAINT memory_space FOREIGN KEY (space_id) REFERENCES public.space(space_id) ON DELETE CASCADE;


--
-- Name: space_embedder space_embedder_embedder; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.space_embedder
    ADD CONSTRAINT space_embedder_embedder FOREIGN KEY (embedder_id) REFERENCES public.embedder(embedder_id);


--
-- Name: space_embedder space_embedder_space; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.space_embedder
    ADD CONSTRAINT space_embedder_space FOREIGN KEY (space_id) REFERENCES public.space(space_id) ON DELETE CASCADE;


--
-- Name: space space_owner; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.space
    ADD CONSTRAINT space_owner FOREIGN KEY (owner_id) REFERENCES public.app_user(user_id);


--
-- Name: text_part text_part_memory; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.text_part
    ADD CONSTRAINT text_part_memory FOREIGN KEY (space_id, memory_id) REFERENCES public.memory(space_id, memory_id) ON DELETE CASCADE;


--
-- PostgreSQL database dump complete
--



