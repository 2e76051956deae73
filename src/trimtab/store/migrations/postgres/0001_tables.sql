CREATE TABLE schema_version (
    version integer NOT NULL PRIMARY KEY,
    applied double precision NOT NULL  -- seconds since 1970, as all times here
);

CREATE TABLE sessions (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    title text NOT NULL,
    dialect text NOT NULL,
    model text,
    meta bytea NOT NULL,
    meta_crc bigint NOT NULL,
    created double precision NOT NULL,
    updated double precision NOT NULL,
    events bigint NOT NULL DEFAULT 0,   -- how many; also the seq of the next one
    messages bigint NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_time ON sessions (updated);

CREATE TABLE events (
    session bigint NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    seq bigint NOT NULL,
    kind text NOT NULL,
    time double precision NOT NULL,
    packed smallint NOT NULL,           -- 0: body as it is; 1: a zstd frame
    crc bigint NOT NULL,                -- CRC-32 of seq, kind, time and the body, unpacked
    body bytea NOT NULL,
    PRIMARY KEY (session, seq)
);

CREATE TABLE blocks (
    id text COLLATE "C" NOT NULL PRIMARY KEY,  -- blk_ and 60 bits of the hash
    sha256 bytea NOT NULL,
    size bigint NOT NULL,               -- bytes, unpacked
    packed smallint NOT NULL,
    touched double precision NOT NULL,  -- when it was last put
    data bytea NOT NULL
);

-- Compressed already: PostgreSQL need not try again.
ALTER TABLE events ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE blocks ALTER COLUMN data SET STORAGE EXTERNAL;

-- Which session needs which block: what no row names, gc may remove.
CREATE TABLE refs (
    session bigint NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    block text COLLATE "C" NOT NULL,
    PRIMARY KEY (session, block)
);
CREATE INDEX refs_by_block ON refs (block);

-- Texts to be found, long ones in pieces; the words as search_text.py cuts them.
CREATE TABLE entries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session bigint NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    seq bigint NOT NULL,
    turn bigint NOT NULL,
    block text COLLATE "C" NOT NULL,
    piece integer NOT NULL,
    text text NOT NULL,
    words tsvector NOT NULL
);
CREATE INDEX entries_by_session ON entries (session, seq);
CREATE INDEX entries_by_words ON entries USING gin (words);

CREATE TABLE notes (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    value bytea NOT NULL,               -- UTF-8, lone surrogates kept
    crc bigint NOT NULL,
    session text,
    updated double precision NOT NULL
);

CREATE TABLE memory_files (
    path text COLLATE "C" NOT NULL PRIMARY KEY,
    data bytea NOT NULL,
    crc bigint NOT NULL,
    updated double precision NOT NULL
);
