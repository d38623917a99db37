import { enqueue, queryAll } from "../../../../core/database/query.ts";
import { request } from "../../../../core/request/context.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { forStaffAndClients } from "../../visibility.ts";
import { inSelection } from "../interaction.list.ts";
import { type GateFacts, type KnownAddress, type KnownPeople, type Met, meet } from "./mailbox-gates.ts";
import type { Mailbox, MailboxKnownResult, MailboxMessage } from "./mailbox-schemas.ts";
import { withBareAddresses, withoutDetail } from "./plus-address.ts";

const STORED = statement(`select id, status, mail_message_id from interactions
  where organisation_id = $1 and owner_account_id = $2 and mail_message_id = any($3::text[])`);
const SUPPRESSED = statement(`select kind, value from interaction_suppressions
  where organisation_id = $1 and owner_account_id = $2 and value = any($3::text[])`);
/** The logged moment of each Message-ID, else a pending one; `seen` if in the caller's view. */
const ELSEWHERE = forStaffAndClients((clients) =>
  statement(`select distinct on (k.header) k.header, t.id, t.status,
      t.status = 'logged' and ($3::uuid[] is null or ${inSelection(clients, "$3::uuid[]")}) as seen
    from unnest($2::text[]) k (header) join interactions t on t.organisation_id = $1 and t.message_key = message_key(k.header)
   where not coalesce(t.owner_account_id = $4::uuid and t.mail_message_id = any($5::text[]), false)
   order by k.header, t.status, t.id`),
);
/** The newest logged message of each thread, with the records it is about. */
const THREADS = statement(`select v.thread, i.company_id, i.project_id, i.task_id from unnest($2::text[]) v (thread)
  cross join lateral (select company_id, project_id, task_id from interactions
    where organisation_id = $1 and mail_thread_id = v.thread and status = 'logged' order by occurred_at desc, id desc limit 1) i`);
/**
 * Contacts by address with their clients, the oldest link first; of several contacts the oldest, and one whose first address it is before
 * one that has it as a further address. A portal login counts as its contact.
 */
const CONTACTS = statement(`select distinct on (r.email) r.email, r.id,
    array(select l.company_id from contact_links l where l.organisation_id = $1 and l.contact_id = r.id order by l.created_at, l.company_id) as clients
  from (select c.email_key as email, c.id, 1 as rank from contacts c where c.organisation_id = $1 and c.email_key = any($2::text[])
    union all
    select k.key, k.contact_id, 2 from contact_match_keys k where k.organisation_id = $1 and k.kind = 'email' and k.key = any($2::text[])
    union all
    select lower(a.email), m.contact_id, 1 from accounts a join member_access m on m.account_id = a.id
     where lower(a.email) = any($2::text[]) and m.organisation_id = $1 and m.contact_id is not null) r
  order by r.email, r.rank, r.id`);
/**
 * Addresses of colleagues: of their accounts and their mailboxes. A client login is a client through its contact or its role, whatever else
 * it has: counted as a colleague, it would make its company internal.
 */
const COLLEAGUE_ADDRESSES = `select lower(a.email) as email, m.account_id from member_access m join accounts a on a.id = m.account_id
    where m.organisation_id = $1 and m.is_live and not m.is_client
  union select lower(b.address), b.account_id from jsonb_to_recordset($2::jsonb) b (address text, account_id uuid)`;
const COLLEAGUES = statement(`select s.email, s.account_id from (${COLLEAGUE_ADDRESSES}) s where s.email = any($3::text[])`);
const INTERNAL_CLIENTS = statement(`select distinct l.company_id as id from (${COLLEAGUE_ADDRESSES}) s
  join contacts c on c.organisation_id = $1 and c.email_key = s.email
  join contact_links l on l.organisation_id = $1 and l.contact_id = c.id`);
/** The clients that a person with a selection sees; no row if the person sees all. */
const SELECTED = statement(`select c.id from member_access m cross join lateral selected_companies(m.selection) c (id)
  where m.organisation_id = $1 and m.account_id = $2 and m.selection is not null`);
const IS_RESTRICTED = statement(
  "select selection is not null as restricted from member_access where organisation_id = $1 and account_id = $2",
);

/** A moment with the same Message-ID as a message of this mailbox. */
interface Elsewhere {
  header: string;
  id: string;
  status: "pending" | "logged";
  seen: boolean;
}

/** The filing that a message takes over from its thread. */
export interface ThreadFiling {
  company_id: string | null;
  project_id: string | null;
  task_id: string | null;
}

/** The known facts about one message. */
export interface MailboxFacts extends GateFacts {
  stored: { id: string; status: "pending" | "logged" } | undefined;
  elsewhere: Elsewhere | undefined;
  /** The filing of its thread's newest logged message; undefined without one. */
  thread: ThreadFiling | undefined;
}

const place = () => request().organisation.id;
const lower = (address: string | null) => address?.toLowerCase() ?? null;

/** Messages and threads of a mailbox whose headers need no reading: those already stored, and those their owner refused. */
export async function knownOf(owner: string, ids: readonly string[], threads: readonly string[]): Promise<MailboxKnownResult> {
  const [stored = [], suppressed = []] = await queryAll(
    [STORED, [place(), owner, ids]],
    [SUPPRESSED, [place(), owner, [...ids, ...threads]]],
  );
  const refused = (kind: string) => suppressed.flatMap((row) => (row["kind"] === kind ? [row["value"] as string] : []));
  return {
    stored: stored.map((row) => row["mail_message_id"] as string),
    suppressed: refused("message"),
    suppressed_threads: refused("thread"),
  };
}

/** People by message address, that of a known mailbox with a detail behind a plus included, and the addresses and clients that mark colleagues or outsiders. */
export async function peopleOf(addresses: readonly string[], mailboxes: Mailbox["mailboxes"]): Promise<KnownPeople> {
  const boxes = JSON.stringify(mailboxes);
  const asked = withBareAddresses(addresses);
  const [contacts = [], colleagues = [], internal = []] = await queryAll(
    [CONTACTS, [place(), asked]],
    [COLLEAGUES, [place(), boxes, asked]],
    [INTERNAL_CLIENTS, [place(), boxes]],
  );
  const known = new Map<string, KnownAddress>();
  for (const { email, id, clients } of contacts as { email: string; id: string; clients: string[] }[])
    known.set(email, { contact: { id, clients }, colleague: null });
  for (const { email, account_id } of colleagues as { email: string; account_id: string }[])
    known.set(email, { contact: known.get(email)?.contact ?? null, colleague: account_id });
  for (const address of addresses) {
    const bare = known.get(withoutDetail(address) ?? address);
    if (bare && !known.has(address)) known.set(address, bare);
  }
  return {
    addresses: known,
    internalClients: new Set(internal.map((row) => row["id"] as string)),
    syncing: new Set(mailboxes.flatMap(({ account_id, syncs }) => (syncs ? [account_id] : []))),
  };
}

/**
 * The facts that decide about messages of a mailbox, read in the same number of statements for many messages as for one.
 * @param countsWaiting whether a pending moment of another mailbox counts as logged elsewhere
 */
export async function factsOf(
  messages: readonly MailboxMessage[],
  { owner_account_id: owner, mailboxes, logs_internal: logsInternal }: Mailbox,
  countsWaiting: boolean,
): Promise<MailboxFacts[]> {
  const { principal } = request();
  const ids = messages.map(({ id }) => id);
  const threads = [...new Set(messages.map(({ thread_id }) => thread_id))];
  const headers = [...new Set(messages.flatMap(({ message_id }) => message_id ?? []))];
  const addresses = new Set(messages.flatMap(({ participants }) => participants.flatMap(({ email }) => lower(email) ?? [])));
  const people = await peopleOf([...addresses], mailboxes);
  const [stored = [], suppressed = [], elsewhere = [], inherited = []] = await queryAll(
    [STORED, [place(), owner, ids]],
    [SUPPRESSED, [place(), owner, [...ids, ...headers, ...threads]]],
    [ELSEWHERE(), [place(), headers, principal?.selection ?? null, owner, ids]],
    [THREADS, [place(), threads]],
  );
  const refused = new Set(suppressed.map((row) => `${row["kind"]} ${row["value"]}`));
  return messages.map((message) => {
    const { id, thread_id, message_id, labels, excluded, participants } = message;
    const twin = (elsewhere as unknown as Elsewhere[]).find(({ header }) => header === message_id);
    const own = (stored as unknown as { id: string; status: "pending" | "logged"; mail_message_id: string }[]).find(
      (row) => row.mail_message_id === id,
    );
    const met: Met[] = meet(
      participants.map((one) => ({ ...one, email: lower(one.email) })),
      people,
    );
    return {
      isStored: own !== undefined,
      isSuppressed: refused.has(`message ${id}`) || refused.has(`message ${message_id}`),
      isThreadSuppressed: refused.has(`thread ${thread_id}`),
      isElsewhere: twin !== undefined && (countsWaiting || twin.status === "logged"),
      labels,
      isExcluded: excluded,
      met,
      mailboxOf: owner,
      people,
      logsInternal,
      stored: own,
      elsewhere: twin,
      thread: (inherited as unknown as (ThreadFiling & { thread: string })[]).find(({ thread }) => thread === thread_id),
    };
  });
}

/** The clients a person sees. */
export interface Sight {
  seesAll: boolean;
  sees(client: string): boolean;
}

/** The clients a mailbox's owner sees: the owner could not review a message filed to any other. */
export async function sightOf(owner: string): Promise<Sight> {
  const [restricted = [], selected = []] = await queryAll([IS_RESTRICTED, [place(), owner]], [SELECTED, [place(), owner]]);
  const seesAll = restricted[0]?.["restricted"] !== true;
  const seen = new Set(selected.map((row) => row["id"]));
  return { seesAll, sees: (client) => seesAll || seen.has(client) };
}

const TURNS = statement(`select pg_advisory_xact_lock(key) from (
    select distinct hashtextextended('message ' || $1::uuid || ' ' || message_key(v), 0) as key from unnest($2::text[]) v order by 1) keys`);

/** Makes copies of one message wait for each other, so that the second finds the first. @param headers Message-IDs */
export function serialiseCopies(headers: readonly (string | null)[]): void {
  const named = headers.filter((header) => header !== null);
  if (named.length > 0) enqueue(TURNS, [place(), named]);
}
