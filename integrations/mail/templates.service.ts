import { LOCALES, type Locale, localeOf } from "../../core/config/defaults.ts";
import { column, newId, tenantModel } from "../../core/database/model.ts";
import { enqueue, query, queryOutside } from "../../core/database/query.ts";
import { action } from "../../core/declare/action.ts";
import type { MailKindName } from "../../core/declare/messages.ts";
import { invalid } from "../../core/errors/errors.ts";
import { mailKinds, overridableKinds, variablesOf } from "../../core/mail/mail-kinds.ts";
import { loadSender } from "../../core/mail/mail-sender.ts";
import { requireUnrestricted } from "../../core/request/caller.ts";
import { prepared, request } from "../../core/request/context.ts";
import { list } from "../../core/schema/schema.ts";
import { statement } from "../../core/sql/statement.ts";
import { offThread } from "../../core/threads/off-thread.ts";
import { TaskFailed } from "../../core/threads/thread-pool.ts";
import { trail } from "../../core/trail/trail.ts";
import { resource } from "../../mixins/resource.ts";
import type { CheckedWording, Wording } from "./checked-text.task.ts";
import { builtInHtml, type Override } from "./compose.ts";
import { loadOverride } from "./outgoing.ts";
import { EmailTemplateRead, EmailTemplatesWrite, EmailTemplateTest, EmailTestResult } from "./settings-schemas.ts";
import { sendNow, type TestResult, testRecipient } from "./test-mail.ts";

const EmailTemplate = tenantModel("email_templates", {
  kind: column.text(),
  locale: column.text(),
  subject: column.text().withDefault(),
  body: column.text().withDefault(),
});

const STORED = statement("select kind, locale, subject, body from email_templates where organisation_id = $1");
const FORGET = statement("delete from email_templates where organisation_id = $1 and kind = any($2)");
const KEEP = statement(`insert into email_templates (id, organisation_id, kind, locale, subject, body)
  select v.id, $1, v.kind, v.locale, v.subject, v.body from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[])
    v(id, kind, locale, subject, body)`);

const checkedText = offThread<Wording, CheckedWording>(new URL("./checked-text.task.ts", import.meta.url));

interface Words {
  subject?: string | null;
  body?: string | null;
}
interface StoredTemplate extends Override {
  kind: string;
  locale: string;
}

/**
 * Validates and cleans an organisation's own wording: the subject on one line, the body sanitised.
 * @throws 422 for an invalid template, or one with unknown names
 */
async function checkedWords(kind: MailKindName, { subject, body }: Words): Promise<Override> {
  const names = variablesOf(kind);
  const checked = await checkedText(request().organisation.id, { subject: subject ?? "", body: body ?? "", names }).catch(
    (error: unknown) => {
      if (error instanceof TaskFailed) throw invalid({ body: "errors.validation" });
      throw error;
    },
  );
  const faults = (["subject", "body"] as const).filter((field) => !checked[field].isTemplate);
  if (faults.length > 0) throw invalid(Object.fromEntries(faults.map((field) => [field, "errors.validation"])));
  return { subject: checked.subject.text, body: checked.body.text };
}

/** @throws 422 for a kind this organisation cannot reword */
function offered(kind: string): MailKindName {
  const found = overridableKinds(request().organisation.enabledModules).find((one) => one === kind);
  if (!found) throw invalid({ kind: "errors.validation" });
  return found;
}

/** Every rewordable kind in every language, with the organisation's own and the built-in wording. */
async function shown() {
  const { id, enabledModules } = request().organisation;
  const stored = await query<StoredTemplate>(STORED, [id]);
  return overridableKinds(enabledModules).flatMap((kind) =>
    LOCALES.map((locale: Locale) => {
      const own = stored.find((one) => one.kind === kind && one.locale === locale);
      const builtIn = mailKinds()[kind].texts[locale];
      return {
        kind,
        locale,
        variables: variablesOf(kind),
        subject: own?.subject ?? "",
        body: own?.body ?? "",
        default_subject: builtIn.subject,
        default_body: builtInHtml(builtIn),
      };
    }),
  );
}

export default resource("settings.email.templates", {
  model: EmailTemplate,
  actions: {
    list: action({
      rest: "GET /settings/email/templates",
      summary: "List the texts of mails that the organisation may reword",
      permission: "settings.email.manage",
      returns: list(EmailTemplateRead),
      handler: () => shown(),
    }),

    replace: action({
      rest: "PUT /settings/email/templates",
      summary: "Replace the organisation's own texts; omitted or blank ones become built in again",
      description: "Bodies are HTML with Liquid and are sanitised. The plain-text part of a mail is always the built-in wording.",
      permission: "settings.email.manage",
      body: EmailTemplatesWrite,
      example: {
        templates: [
          {
            kind: "invite",
            locale: "nl",
            subject: "Welkom bij {{ brand }}",
            body: '<p>Hallo {{ name }},</p><p><a href="{{ link }}">Maak je account aan</a></p>',
          },
        ],
      },
      returns: list(EmailTemplateRead),
      async handler(ctx) {
        // A text could redirect the link of a password reset (conventions §5).
        requireUnrestricted(ctx.meta.principal);
        const { id, enabledModules } = ctx.meta.organisation;
        const named = ctx.params.body.templates.map(({ kind, locale, ...words }) => ({ kind: offered(kind), locale, words }));
        if (new Set(named.map(({ kind, locale }) => `${kind} ${locale}`)).size < named.length)
          throw invalid({ kind: "errors.duplicate" });
        const wanted: StoredTemplate[] = [];
        // Sequential: an organisation has few threads, and more texts than may queue for them.
        for (const { kind, locale, words } of named) wanted.push({ kind, locale, ...(await checkedWords(kind, words)) });
        const own = wanted.filter(({ subject, body }) => subject !== "" || body !== "");
        const column = (name: keyof StoredTemplate) => own.map((one) => one[name]);
        enqueue(FORGET, [id, overridableKinds(enabledModules)]);
        enqueue(KEEP, [id, own.map(() => newId()), column("kind"), column("locale"), column("subject"), column("body")]);
        trail("email_templates", id, "updated", { kinds: [...new Set(column("kind"))] });
        return shown();
      },
    }),

    test: action({
      rest: "POST /settings/email/templates/test",
      summary: "Send one text as a test: the request's words, else the stored ones",
      permission: "settings.email.manage",
      body: EmailTemplateTest,
      example: {
        kind: "invite",
        locale: "nl",
        subject: "Welkom bij {{ brand }}",
        body: '<p>Hallo {{ name }}, <a href="{{ link }}">maak je account aan</a></p>',
        to: "anna@example.com",
      },
      returns: EmailTestResult,
      status: 200,
      acts: "outside",
      async prepare(ctx): Promise<TestResult> {
        const { kind: name, locale, to: address, subject, body } = ctx.params.body;
        const kind = offered(name);
        const language = localeOf(locale ?? null, ctx.meta.organisation.locale);
        const given =
          subject != null || body != null ? await checkedWords(kind, { subject: subject ?? null, body: body ?? null }) : null;
        const to = await testRecipient(address);
        const override = given ?? (await loadOverride(kind, language, queryOutside));
        return sendNow(ctx, await loadSender(queryOutside), { kind, locale: language, to, override });
      },
      handler: async () => prepared<TestResult>(),
    }),
  },
});
