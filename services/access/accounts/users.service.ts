import { enqueue, queryOne, queryOutside } from "../../../core/database/query.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { passwordSignIn } from "../../../core/declare/makers/password-sign-in.ts";
import { invalid, notFound, refusal } from "../../../core/errors/errors.ts";
import { leavesWork } from "../../../core/jobs/outbox.ts";
import { uuid } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { EmailChange, UserRead, UserUpdate } from "../keys/key-schemas.ts";
import { callerOf, refuseSso } from "../own-session.ts";
import { ACCOUNT, type Account, endSessions, lockAccount, storedName, USER, writeAccount } from "./account-changes.ts";
import { isCurrentPassword, requireCurrentPassword } from "./current-password.ts";
import { hashed, passwordErrors, requireGood } from "./passwords.ts";

const REMOVE = statement("delete from accounts where id = $1");

const OWN = "concerns only the signed-in person";
const ADMINISTRATORS = "for instance administrators, which no permission of an organisation makes";
/** Accounts are global: instance administrators can access those of every organisation (access §3). */
const exceptions = { tenancy: "access §3: accounts are global, and instance administrators reach every one" };

async function readUser(id: string): Promise<JsonText> {
  const found = await queryOne<{ version: number; body: string }>(USER, [id]);
  if (!found) throw notFound();
  return new JsonText(found.body, found.version);
}

export default service("users", {
  actions: {
    me: openAction({
      rest: "GET /users/me",
      summary: "Read your own account",
      open: OWN,
      needs: "session",
      returns: UserRead,
      handler: (ctx) => readUser(callerOf(ctx.meta.principal).accountId),
    }),

    updateMe: openAction({
      rest: "PATCH /users/me",
      summary: "Change your own name or password",
      description:
        "A new password requires the current one, unless the session signed in within the last ten minutes, and ends all other sessions. `email` and the flags are ignored.",
      open: OWN,
      needs: "session",
      body: UserUpdate,
      returns: UserRead,
      errors: [...passwordErrors, "password_incorrect"],
      async handler(ctx) {
        const { full_name, password, current_password: current } = ctx.params.body;
        const { accountId, sessionId } = callerOf(ctx.meta.principal);
        let hash: string | undefined;
        let known: Account | undefined;
        if (typeof password === "string") {
          const { isFresh } = await refuseSso(ctx.meta);
          known = await queryOutside<Account>(ACCOUNT, [accountId]);
          if (!known) throw notFound();
          await requireCurrentPassword(known, current, isFresh);
          hash = await hashed(password, known.email);
        }
        const account = await lockAccount(accountId);
        // The password may have changed since it was checked.
        if (current && known && account.password_hash !== known.password_hash) throw refusal("password_incorrect");
        requireGood(password, account.email);
        if (hash !== undefined) endSessions(accountId, sessionId);
        const name = storedName(full_name);
        return writeAccount(account, {
          ...(name !== undefined && { full_name: name }),
          ...(hash !== undefined && { password_hash: hash }),
        });
      },
    }),

    changeEmail: passwordSignIn({
      rest: "POST /users/me/email",
      verb: "change",
      summary: "Change your own e-mail address",
      description: "Sign-in uses the new address at once, which is unverified, and all other sessions end.",
      open: OWN,
      needs: "session",
      body: EmailChange,
      returns: UserRead,
      status: 200,
      errors: ["password_incorrect", "email_taken"],
      async handler(ctx) {
        const { accountId, sessionId } = callerOf(ctx.meta.principal);
        await refuseSso(ctx.meta);
        const known = await queryOutside<Account>(ACCOUNT, [accountId]);
        const fits = await isCurrentPassword(accountId, ctx.params.body.password, known?.password_hash ?? null);
        if (!fits) throw refusal("password_incorrect");
        const account = await lockAccount(accountId);
        // The password may have changed since it was checked.
        if (account.password_hash !== known?.password_hash) throw refusal("password_incorrect");
        const email = ctx.params.body.email.toLowerCase();
        if (email === account.email) return writeAccount(account, {});
        endSessions(accountId, sessionId);
        return writeAccount(account, { email, is_verified: false });
      },
    }),

    get: openAction({
      rest: "GET /users/:id",
      summary: "Read any account",
      open: ADMINISTRATORS,
      needs: "administrator",
      path: { id: uuid() },
      returns: UserRead,
      exceptions,
      async handler(ctx) {
        await refuseSso(ctx.meta);
        return readUser(ctx.params.id);
      },
    }),

    update: openAction({
      rest: "PATCH /users/:id",
      summary: "Change any account",
      description:
        "A new password for the caller's own account requires `current_password` as in `PATCH /users/me`. A new password or e-mail address ends the account's other sessions, and `is_active: false` all of them, in every organisation; only an instance administrator can reverse that. `is_superuser` is ignored.",
      open: ADMINISTRATORS,
      needs: "administrator",
      path: { id: uuid() },
      body: UserUpdate,
      returns: UserRead,
      errors: [...passwordErrors, "email_taken", "password_incorrect"],
      exceptions,
      async handler(ctx) {
        const { isFresh } = await refuseSso(ctx.meta);
        const { id, body } = ctx.params;
        const { accountId, sessionId } = callerOf(ctx.meta.principal);
        const { email: asked, full_name, password, current_password: current, is_active, is_verified } = body;
        const nulls = Object.entries({ email: asked, is_active, is_verified }).filter(([, value]) => value === null);
        if (nulls.length > 0) throw invalid(Object.fromEntries(nulls.map(([field]) => [field, "errors.validation"])));
        const known = await queryOutside<Account>(ACCOUNT, [id]);
        if (!known) throw notFound();
        const isOwn = known.id === accountId;
        if (isOwn && typeof password === "string") await requireCurrentPassword(known, current, isFresh);
        const hash = await hashed(password, asked?.toLowerCase() ?? known.email);
        const account = await lockAccount(id);
        if (isOwn && current && account.password_hash !== known.password_hash) throw refusal("password_incorrect");
        const email = asked?.toLowerCase() ?? account.email;
        requireGood(password, email);
        const moved = email !== account.email;
        if (is_active === false) endSessions(id, null);
        else if (moved || hash !== undefined) endSessions(id, isOwn ? sessionId : null);
        const name = storedName(full_name);
        return writeAccount(account, {
          email,
          // A new address is unverified unless the administrator marks it verified.
          is_verified: is_verified ?? (moved ? false : account.is_verified),
          ...(name !== undefined && { full_name: name }),
          ...(hash !== undefined && { password_hash: hash }),
          ...(typeof is_active === "boolean" && { is_active, hand_disabled_at: handDisabled(account, is_active) }),
        });
      },
    }),

    remove: openAction({
      rest: "DELETE /users/:id",
      summary: "Delete any account",
      description: "Deletes its memberships, sessions and personal keys in every organisation; its name stays on past actions.",
      open: ADMINISTRATORS,
      needs: "administrator",
      path: { id: uuid() },
      exceptions,
      async handler(ctx) {
        await refuseSso(ctx.meta);
        const { id } = await lockAccount(ctx.params.id);
        enqueue(REMOVE, [id]);
        // Rows deleted with the account may schedule jobs.
        leavesWork();
      },
    }),
  },
});

/** When an account was manually disabled: keeps an earlier time, else now; null once active. */
function handDisabled(account: Account, isActive: boolean): string | null {
  return isActive ? null : (account.hand_disabled_at ?? new Date().toISOString());
}
