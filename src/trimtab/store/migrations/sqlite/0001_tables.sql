CREATE TABLE schema_version (
    version INTEGER NOT NULL PRIMARY KEY,
    applied REAL NOT NULL  -- seconds since 1970, as all times here
);

-- Numbers are not used twice, so that what the full-text index says of a session stays true.
CREATE TABLE sessions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    dialect TEXT NOT NULL,
    model TEXT,
    meta BLOB NOT NULL,
    meta_crc INTEGER NOT NULL,
    created REAL NOT NULL,
    updated REAL NOT NULL,
    events INTEGER NOT NULL DEFAULT 0,   -- how many; also the seq of the next one
    messages INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_time ON sessions (updated);

CREATE TABLE events (
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    time REAL NOT NULL,
    packed INTEGER NOT NULL,             -- 0: body as it is; 1: a zstd frame
    crc INTEGER NOT NULL,                -- CRC-32 of seq, kind, time and the body, unpacked
    body BLOB NOT NULL,
    PRIMARY KEY (session, seq)
);

CREATE TABLE blocks (
    id TEXT NOT NULL PRIMARY KEY,        -- blk_ and 60 bits of the hash
    sha256 BLOB NOT NULL,
    size INTEGER NOT NULL,               -- bytes, unpacked
    packed INTEGER NOT NULL,
    touched REAL NOT NULL,               -- when it was last put
    data BLOB NOT NULL
);

-- Which session needs which block: what no row names, gc may remove.
CREATE TABLE refs (
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    block TEXT NOT NULL,
    PRIMARY KEY (session, block)
) WITHOUT ROWID;
CREATE INDEX refs_by_block ON refs (block);

-- Texts to be found, long ones in pieces.
CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    block TEXT NOT NULL,
    piece INTEGER NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX entries_by_session ON entries (session, seq);

-- The words of each entry (rowid: its id), as search_text.py cuts them; the text is not kept
-- twice. The session's number is a word too, so that a search in one session reads no other.
CREATE VIRTUAL TABLE search USING fts5 (session, words, content = '', tokenize = 'ascii');
INSERT INTO search (search, rank) VALUES ('rank', 'bm25(0.0, 1.0)');

CREATE TABLE notes (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL,                 -- UTF-8, lone surrogates kept
    crc INTEGER NOT NULL,
    session TEXT,
    updated REAL NOT NULL
);

CREATE TABLE memory_files (
    path TEXT NOT NULL PRIMARY KEY,
    data BLOB NOT NULL,
    crc INTEGER NOT NULL,
    updated REAL NOT NULL
);
