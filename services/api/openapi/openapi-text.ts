import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";

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

/** Default descriptions of query parameters. */
const QUERY: Readonly<Record<string, string | undefined>> = {
  all_users: "Whether to include everyone's rows and not only the caller's, where the caller may see them.",
  company_id: "Only what belongs to this client.",
  contact_id: "Only what belongs to this contact.",
  count: "Whether `total` is counted; without counting it is the number of items returned.",
  date_from: "First day, in the organisation's zone.",
  date_to: "Last day, included, in the organisation's zone.",
  domain_id: "Only what belongs to this domain.",
  dry_run: "Whether to say only what would happen, and write nothing.",
  entity_id: "Id of the record of that kind.",
  entity_type: "Kind of the record, such as `company` or `task`.",
  format: "Format of the file.",
  hours: "Whether to include hours, which needs `time.entry.read`; without it they are null.",
  hosting_id: "Only what belongs to this hosting package.",
  include_inactive: "Whether to include inactive ones.",
  kind: "Only those of this kind.",
  limit: "How many rows at most.",
  meta: "Whether to include what other records give, such as labels and names; `false` leaves it empty and is faster.",
  mine: "Whether to include only those with the caller on the roster.",
  offset: "How many rows to skip.",
  project_id: "Only what belongs to this project.",
  q: "Words that must all occur, in any of the searched fields, whatever case and accents; in double quotes a phrase with its blanks.",
  sort: "What to sort by; `-` in front for descending.",
  status: "Only those in this status.",
  task_id: "Only what belongs to this task.",
  unnamed: "Only those whose name is a placeholder, or only the others; absent for both.",
  updated_since: "Only rows created or changed at or after this instant.",
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
