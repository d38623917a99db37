import type { Service } from "moleculer";
import { dateIn } from "../../../core/calendar/calendar.ts";
import { dayInWords } from "../../../core/calendar/in-words.ts";
import { runtime } from "../../../core/config/runtime.ts";
import { query } from "../../../core/database/query.ts";
import { announcedTrialEnd, licensingOf } from "../../../core/declare/licence.ts";
import { grantsThatMeet, licensable } from "../../../core/declare/permissions.ts";
import { installationLicence } from "../../../core/jobs/store.ts";
import { queueMails } from "../../../core/mail/mail.ts";
import { request } from "../../../core/request/context.ts";
import { organisationZone } from "../../../core/request/today.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";

/** Members who may view the installation and got no mail about this trial yet. */
const ADMINISTRATORS: Statement = statement(`select a.id, a.email, a.full_name, a.locale from member_access m
    join accounts a on a.id = m.account_id
   where m.organisation_id = $1 and m.is_live and m.membership_id in (select members_holding($1, $2::text[]))
     and not exists (select 1 from mails l where l.organisation_id = m.organisation_id and l.account_id = a.id and l.kind = 'trial-ending')
   order by a.email`);

interface Administrator {
  id: string;
  email: string;
  full_name: string | null;
  locale: string | null;
}

/** The end of the trial as ISO text while it is to be announced; else null. */
const announced = async (): Promise<string | null> => announcedTrialEnd(licensable(), await installationLicence(), Date.now());

/** Mails the end of the trial to the organisation's administrators, to each once. */
async function announce(endsAt: string): Promise<void> {
  const { organisation } = request();
  const administrators = await query<Administrator>(ADMINISTRATORS, [organisation.id, grantsThatMeet("settings.system.read")]);
  const day = dateIn(organisationZone(), endsAt);
  const variables = { ends_on: { nl: dayInWords("nl", day), en: dayInWords("en", day) } };
  await queueMails(
    administrators.map(({ id, email, full_name, locale }) => ({
      kind: "trial-ending",
      to: { address: email, name: full_name, locale, accountId: id },
      variables,
    })),
  );
}

/** Announces the end of the built-in trial if the operator requires licences (conventions §7). */
export default service("system.trial", {
  actions: {},
  jobs: {
    "system.announce-trial-end": {
      about: "Notifies administrators of the end of the trial, from its tenth day",
      schedule: "0 8 * * *",
      everywhere: "every trial ends, and the job exists only where licences are required",
      spread: 55,
      when: () => licensingOf(runtime().config) === "required",
      async handler(run) {
        const endsAt = await announced();
        if (endsAt !== null) await run.write(() => announce(endsAt));
      },
    },
  },

  async started(this: Service) {
    if (licensingOf(runtime().config) !== "required") return;
    const endsAt = await announced().catch(() => null);
    if (endsAt !== null)
      this.logger.warn(
        { event: "system.trial_end_announced" },
        `The trial ends at ${endsAt}: then modules that no licence lists can only be read. \`licence set\` installs one.`,
      );
  },
});
