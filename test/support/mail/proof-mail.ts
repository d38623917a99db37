import type { ServiceSchema } from "moleculer";
import { queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { type MailRequest, queueMail } from "../../../core/mail/mail.ts";
import { handOver, type MailNow } from "../../../core/mail/mail-now.ts";
import { prepared } from "../../../core/request/context.ts";
import { answer, flag, input, json, nullable, optional, Type } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";

const Promised = answer("ProofPromise", {
  id: Type.String(),
  sent: flag(),
  error: nullable(Type.String()),
  token_hash: nullable(Type.String()),
});
const MAIL = statement("select status from mails where organisation_id = $1 and id = $2");

/** An endpoint that queues mails, like the sign-in endpoints do; `fails` rolls back the write that queued them. */
export const proofMail: ServiceSchema = service("proofmail", {
  actions: {
    create: action({
      rest: "POST /proof/mails",
      summary: "Promise mails",
      permission: "members.member.write",
      body: input("ProofMails", { mails: Type.Array(json()), fails: optional(flag(false)) }),
      returns: Type.Array(Promised),
      async handler(ctx) {
        const promised = [];
        for (const mail of ctx.params.body.mails as unknown as MailRequest[]) {
          const { id, sent, error, tokenHash } = await queueMail(mail);
          await queryOne(MAIL, [ctx.meta.organisation.id, id]);
          promised.push({ id, sent, error, token_hash: tokenHash?.toString("hex") ?? null });
        }
        if (ctx.params.body.fails) throw refusal("conflict");
        return promised;
      },
    }),

    now: action({
      rest: "POST /proof/mails/now",
      summary: "Hand a mail over while the caller waits",
      permission: "members.member.write",
      body: input("ProofMailNow", { mail: json() }),
      returns: json(),
      acts: "outside",
      prepare: (ctx) => handOver((name, parameters) => ctx.call(name, parameters), ctx.params.body.mail as unknown as MailNow),
      handler: () => prepared<object>(),
    }),
  },
});
