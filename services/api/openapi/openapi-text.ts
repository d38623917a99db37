/** What every reader should know before the first call. */
export const introduction = (keyPrefix: string): string => `Everything belongs to the organisation of the host that is asked.

## Credentials

An API key in \`X-API-Key\` or as \`Authorization: Bearer ${keyPrefix}_…\`, or the cookie of a session. A key that is sent decides alone: a
bad one answers 401 even beside a good session. \`x-permission\` names what the caller must hold; null means that no permission is needed.

## Lists

\`limit\`, \`offset\`, \`sort\` (\`-\` for descending), \`q\` and \`updated_since\` work alike on every list. A page is
\`{items, total, limit, offset}\`; \`count=false\` skips the counting. An answer to \`updated_since\` carries \`Updated-Until\`, the instant
to ask with next: whoever follows it misses no row, however long the transaction that wrote it was open.

## Writes

In a PATCH an absent field is left alone and null clears it. Names, subjects and titles have one line: line breaks and other control
characters are refused (\`pattern\`), but in notes, descriptions and bodies. \`Idempotency-Key\` makes a POST safe to repeat; \`If-Match\` with the \`ETag\`
of a read refuses a write on a row that has changed since.

## Errors

\`{"error": {"code", "message", "fields"?, "details"?}}\`. Texts are translation keys. A row of another organisation answers like one that
does not exist. \`x-licence\` names the licensed module; its writes answer 402 when it is not licensed.

## Limits

Calls are counted per key and clock minute: see \`RateLimit-*\`, and \`Retry-After\` on 429. A body may hold 1 MiB, a file 10 MiB.`;

/** What common parameters mean wherever they occur. */
export const parameterDescriptions: Record<string, string | undefined> = {
  count: "Whether `total` is counted; without counting it is the number of items returned.",
  dry_run: "Whether to say only what would happen, and write nothing.",
  limit: "How many rows at most.",
  offset: "How many rows to skip.",
  q: "Words that must all occur, in any of the searched fields, whatever case and accents; in double quotes a phrase with its blanks.",
  sort: "What to sort by; `-` in front for descending.",
  updated_since: "Only rows created or changed at or after this instant.",
};
