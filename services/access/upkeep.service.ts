import { dateIn } from "../../core/calendar/calendar.ts";
import { dayInWords } from "../../core/calendar/in-words.ts";
import { CLEARING_TIMEOUT, clearOldEverywhere } from "../../core/clearing/clear.ts";
import { queryUnbound } from "../../core/database/connection/database.ts";
import { query } from "../../core/database/query.ts";
import { queueMails } from "../../core/mail/mail.ts";
import { organisationZone } from "../../core/request/today.ts";
import { statement } from "../../core/sql/statement.ts";
import { service } from "../../mixins/resource.ts";
import { endingKeys, NOTICE_DAYS } from "./keys.due.ts";
import {
  endedSessions,
  expiredChallenges,
  expiredCodes,
  expiredLinks,
  expiredRefreshTokens,
  unapprovedClients,
} from "./upkeep.due.ts";

const END_OAUTH = statement("select end_oauth()");
/**
 * Keys that end soon, marked as notified; keys that an OAuth client renews are excluded. A service account's go to the account's creator,
 * while that is a member.
 */
const ENDING = statement(`update api_keys k set expiry_told_at = now()
  from memberships m join accounts a on a.id = m.account_id and a.is_active
  where k.organisation_id = $1 and m.organisation_id = $1 and m.deactivated_at is null and k.revoked_at is null and k.expiry_told_at is null
    and k.oauth_client_id is null
    and k.expires_at > now() and k.expires_at <= now() + make_interval(days => $2)
    and m.account_id = coalesce(k.account_id, (select s.created_by_account_id from service_accounts s
                                                where s.organisation_id = k.organisation_id and s.id = k.service_account_id))
  returning k.id, k.name, k.expires_at, a.id as account_id, a.email, a.full_name, a.locale`);

interface Ending {
  id: string;
  name: string;
  expires_at: string;
  account_id: string;
  email: string;
  full_name: string | null;
  locale: string | null;
}

/** Scheduled jobs for keys and sign-in. */
export default service("access", {
  actions: {},
  jobs: {
    "access.key-expiry": {
      about: `Notifies the owner of a key ${NOTICE_DAYS} days before it expires, once`,
      schedule: "0 6 * * *",
      due: endingKeys,
      spread: 55,
      handler: (run) =>
        run.write(async () => {
          const zone = organisationZone();
          const ending = await query<Ending>(ENDING, [run.organisation.id, NOTICE_DAYS]);
          if (ending.length === 0) return;
          await queueMails(
            ending.map((key) => {
              // The last day on which the key works: one that ends with a day ends at the start of the next.
              const day = dateIn(zone, Date.parse(key.expires_at) - 1);
              return {
                kind: "key-expiry",
                to: { address: key.email, name: key.full_name, locale: key.locale, accountId: key.account_id },
                variables: { key_name: key.name, expires_on: { nl: dayInWords("nl", day), en: dayInWords("en", day) } },
                entity: { type: "api_key", id: key.id },
              };
            }),
          );
        }),
    },
    "access.clear-oauth": {
      about: "Removes clients that were never approved, and expired codes and tokens",
      per: "installation",
      schedule: "20 * * * *",
      timeout: CLEARING_TIMEOUT,
      async handler(run) {
        await queryUnbound(END_OAUTH);
        await clearOldEverywhere(run, unapprovedClients, expiredCodes, expiredRefreshTokens);
      },
    },
    "access.clear": {
      about: "Removes challenges and mailed links that have expired, and sessions that ended or expired a day ago",
      per: "installation",
      schedule: "50 2 * * *",
      timeout: CLEARING_TIMEOUT,
      handler: (run) => clearOldEverywhere(run, expiredChallenges, expiredLinks, endedSessions),
    },
  },
});
