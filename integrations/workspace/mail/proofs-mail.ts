import { SCOPE } from "../../../mixins/google/scopes.ts";
import { serveGmail } from "../../../test/simulators/google/gmail.ts";
import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";

/** A thread and its message in the mailbox of every fixture member. */
const THREAD = "18c2f0a1b2c3d4e5";
const MESSAGE = "18c2f0a1b2c3d4e6";
/** The owner, and the members without a readable mailbox. */
const WITHOUT = `select m.account_id from memberships m where m.organisation_id = $1 and (m.account_id = $2 or not exists (
  select 1 from workspace_connections c where c.organisation_id = $1 and c.account_id = m.account_id and $3 = any(c.scopes)))`;
const READABLE = `update workspace_connections set scopes = $3, mail_sync_enabled = true, access_expires_at = now() + interval '1 hour'
  where organisation_id = $1 and account_id = any($2) returning subject`;

/** No job runs in the fixtures, so this ends polls half a second after they were requested. */
const END = `update workspace_mailboxes set ended = asked, result = '{"status": "polled", "logged": 0}'
  where asked > ended and asked_at < now() - interval '500 milliseconds'`;
const ending = new WeakSet<Place["sql"]>();
function endPolls({ sql }: Place): void {
  if (ending.has(sql)) return;
  ending.add(sql);
  const timer = setInterval(() => void sql.query(END).catch(() => clearInterval(timer)), 200).unref();
}

/** Fixtures for mail. @param connect connects people, each to a new person at Google */
export const mailProofs =
  (connect: (place: Place, people: readonly string[]) => Promise<void>): DefineProofs =>
  ({ google, make }) => {
    const gmail = serveGmail(google);
    /** Gives all members a readable mailbox with one message. */
    const mailboxes = async (place: Place): Promise<void> => {
      const { tenant, sql, token } = place;
      const { id: organisation } = tenant.organisation;
      const { rows } = await sql.query(WITHOUT, [organisation, tenant.owner.accountId, SCOPE.mail]);
      const people = rows.map(({ account_id }) => account_id as string);
      await connect(place, people);
      const subjects = new Set(
        (await sql.query(READABLE, [organisation, people, [SCOPE.mail]])).rows.map(({ subject }) => subject),
      );
      // Make the stored access token usable, whatever OAuth client the settings name by then.
      for (const access of google.state.access.values())
        if (subjects.has(access.grant.person.subject)) Object.assign(access, { scopes: new Set([SCOPE.mail]) });
      for (const person of google.state.people.filter(({ subject }) => subjects.has(subject)))
        gmail.deliver(person, { id: MESSAGE, threadId: THREAD, subject: token, messageId: null });
    };
    const refreshed = (place: Place) => {
      endPolls(place);
      return mailboxes(place);
    };
    return {
      values: { reference: () => THREAD, thread_id: () => THREAD },
      asked: { "GET /workspace/mail/search": ["subject"] },
      bodies: {
        "POST /workspace/mail/import": async (place) => {
          const { tenant, sql, companyId } = place;
          await mailboxes(place);
          // A message can be imported only once per mailbox.
          await sql.query("delete from interactions where organisation_id = $1 and mail_message_id = $2", [
            tenant.organisation.id,
            MESSAGE,
          ]);
          return { message_id: MESSAGE, company_id: companyId, contact_ids: [await make("contact_id", place)] };
        },
      },
      arranged: {
        ...Object.fromEntries(
          ["status", "lookup", "search", "threads/{thread_id}"].map((what) => [`GET /workspace/mail/${what}`, mailboxes]),
        ),
        "POST /workspace/mail/refresh": refreshed,
      },
    };
  };
