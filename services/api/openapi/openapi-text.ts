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

In a PATCH an absent field is left alone and null clears it. \`Idempotency-Key\` makes a POST safe to repeat; \`If-Match\` with the \`ETag\`
of a read refuses a write on a row that has changed since.

## Errors

\`{"error": {"code", "message", "fields"?, "details"?}}\`. Texts are translation keys. A row of another organisation answers like one that
does not exist. \`x-licence\` names the licensed module; its writes answer 402 when it is not licensed.

## Limits

Calls are counted per key and clock minute: see \`RateLimit-*\`, and \`Retry-After\` on 429. A body may hold 1 MiB, a file 10 MiB.`;

/** One sentence per module, the first segment of its paths. */
export const tagDescriptions: Record<string, string | undefined> = {
  activity: "The trail of a record: who changed what, and when.",
  addresslookup: "Addresses by postal code and house number.",
  "ads-platform": "Advertising accounts, campaigns and their figures.",
  ai: "Assistants, their models and budgets.",
  "api-keys": "Personal API keys.",
  auth: "Signing in and out, second factors, passwords and sessions.",
  automation: "Rules that act when something happens.",
  bulk: "One change or deletion for many records at once.",
  companies: "Clients of the organisation.",
  contacts: "People, and the companies they belong to.",
  "custom-fields": "Fields an organisation adds to its records.",
  domains: "Domain names of clients.",
  edge: "DNS zones, records and redirects at the edge provider.",
  files: "Files of records: pictures, documents and tables.",
  health: "Whether the service is ready.",
  hosting: "Hosting packages of clients.",
  hr: "Dossiers of employees.",
  impex: "Records as spreadsheets, in and out.",
  invoicing: "Quotes, invoices, credit notes, payments and subscriptions.",
  leave: "Leave requests, entitlements, schedules and public holidays.",
  marketing: "Search and analytics figures of websites.",
  members: "Accounts that belong to the organisation.",
  meta: "The organisation and the person who asks, as screens need them.",
  nav: "Order and visibility of the navigation.",
  notifications: "Inbox, channels and subscriptions of a person.",
  oauth: "Access for other applications.",
  permissions: "The catalogue of permissions.",
  portal: "Sign-ins for clients.",
  prefs: "Preferences of a person.",
  projects: "Projects and their budgets.",
  providers: "Outside services an organisation uses.",
  registrar: "Registration and transfer of domain names.",
  reporting: "Reports for clients, their templates and tones.",
  roles: "Roles and what they grant.",
  "service-accounts": "Callers that are no person, and their keys.",
  settings: "Settings of the organisation.",
  system: "The installation.",
  tasks: "Tasks, checklists, comments, labels and schedules.",
  time: "Hours written on projects and tasks.",
  users: "The account of the person who is signed in.",
  websites: "Websites of clients and their state.",
  workspace: "Mail, calendar and documents of connected workspaces.",
};

/** What common parameters mean wherever they occur. */
export const parameterDescriptions: Record<string, string | undefined> = {
  count: "Whether `total` is counted; without counting it is the number of items returned.",
  dry_run: "Whether to say only what would happen, and write nothing.",
  limit: "How many rows at most.",
  offset: "How many rows to skip.",
  q: "Text to find anywhere in a row, whatever its case.",
  sort: "What to sort by; `-` in front for descending.",
  updated_since: "Only rows created or changed at or after this instant.",
};
