import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";

/** What every reader should know before the first call. */
export const introduction = (keyPrefix: string): string => `Everything belongs to the organisation of the request's host.

## Credentials

An API key in \`X-API-Key\` or as \`Authorization: Bearer ${keyPrefix}_…\`, or the cookie of a session. If a request has a key, only the key counts: a
bad one answers 401 even with a valid session. \`x-permission\` names the permission that the caller needs; null means none.

## Lists

\`limit\`, \`offset\`, \`sort\` (\`-\` for descending), \`q\` and \`updated_since\` work alike on every list. A page is
\`{items, total, limit, offset, next_cursor}\`; \`count=false\` skips the counting. \`cursor\` takes the \`next_cursor\` of a page, in place of
\`offset\` and with all other parameters as they were: a row that stays as it is comes exactly once, however others change, and the last page
costs what the first does, except in the order of amounts and hours.

With \`updated_since\` the rows come in the order of their last change, whatever \`sort\` says. Once the whole delta was read, which is on the
last page by cursor, or on a page that holds all of it, the answer has \`Updated-Until\`, the instant to send next: a caller that follows it
misses no row, however long the transaction that wrote it was open ([keep a copy](/api/guide/copies)).

## Writes

In a PATCH an absent field stays unchanged and null clears it. A body ignores keys that its schema does not name, so a misspelt optional
field changes nothing; schemas with \`additionalProperties: false\` answer 422 and name the nearest key in \`details\`.

Names, subjects and titles have one line: line breaks and other control characters are refused (\`pattern\`), except in notes, descriptions
and bodies. \`Idempotency-Key\` makes a write safe to repeat; \`If-Match\` with the \`ETag\` of a read refuses a write to a row that has changed
since.

## Errors

\`{"error": {"code", "message", "fields"?, "details"?}}\`. Texts are translation keys. \`fields\` lists the invalid fields by key, with \`_\` for the
body as a whole. A row of another organisation answers like one that does not exist. \`x-licence\` names the licensed module; its writes answer 402 when it is not licensed.

## Limits

Calls are counted per key and clock minute: see \`RateLimit-*\`, and \`Retry-After\` on 429. A body may hold 1 MiB, a file 10 MiB.

## Readers

This document is readable in [Scalar](/api/reference), with a search, samples in curl, TypeScript and Python, and a console that takes a key;
in [Swagger UI](/api/docs); and [on one page](/api/redoc). Each error has [a page](/api/docs/errors), and [the
guide](/api/guide) explains what the operations are for.`;

/** Default descriptions of query parameters. */
const QUERY: Readonly<Record<string, string | undefined>> = {
  all_users: "Whether to include everyone's rows instead of only the caller's, if the caller can see them.",
  company_id: "Only what belongs to this client.",
  contact_id: "Only what belongs to this contact.",
  count: "Whether `total` is counted; without counting it is the number of items returned.",
  date_from: "First day, in the organisation's zone.",
  date_to: "Last day, included, in the organisation's zone.",
  domain_id: "Only what belongs to this domain.",
  dry_run: "Whether to report the result only, and write nothing.",
  entity_id: "Id of the record of that kind.",
  entity_type: "Kind of the record, such as `company` or `task`.",
  format: "Format of the file.",
  hours: "Whether to include hours, which needs `time.entry.read`; without it they are null.",
  hosting_id: "Only what belongs to this hosting package.",
  include_inactive: "Whether to include inactive ones.",
  kind: "Only those of this kind.",
  limit: "How many rows at most.",
  meta: "Whether to include values from other records, such as labels and names; `false` leaves them empty and is faster.",
  mine: "Whether to include only those with the caller on the roster.",
  offset: "How many rows to skip. Where rows change meanwhile, `cursor` skips none by mistake.",
  project_id: "Only what belongs to this project.",
  q: "Words that must all occur, in any of the searched fields, ignoring case and accents; double quotes mark a phrase with blanks.",
  sort: "Sort key; `-` in front for descending. Rows of `updated_since` come in the order of their change.",
  status: "Only those in this status.",
  task_id: "Only what belongs to this task.",
  unnamed: "Only those whose name is a placeholder, or only the others; absent for both.",
  updated_since: "Only rows created or changed at or after this instant, in the order of their change.",
  user_id: "Only what belongs to this person. Another person than the caller may need the permission at `:any`.",
  year: "Calendar year.",
};

/**
 * Describes a parameter whose schema does not: from the tag's module, else the default, else the one module that knows it.
 * @param tag first segment of the operation's path
 */
export function parameterText(tag: string, place: "path" | "query", name: string): string | undefined {
  const { parameters } = catalogue();
  const key = place === "path" ? `:${name}` : name;
  return parameters.get(`${tag} ${key}`) ?? (place === "query" ? QUERY[name] : undefined) ?? parameters.get(key);
}
