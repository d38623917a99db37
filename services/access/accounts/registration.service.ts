import { runtime } from "../../../core/config/runtime.ts";
import { newId } from "../../../core/database/model.ts";
import { enqueue, queryAll, queryOne, queryOutside } from "../../../core/database/query.ts";
import { passwordSignIn } from "../../../core/declare/makers/password-sign-in.ts";
import { notFound, refusal } from "../../../core/errors/errors.ts";
import { digest, hashPassword } from "../../../core/security/crypto.ts";
import { type Row, statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { UserRead } from "../keys/key-schemas.ts";
import { type Account, endSessions, storedName, writeAccount } from "./account-changes.ts";
import { EmailOnly, PasswordReset, TokenOnly, UserCreate } from "./account-schemas.ts";
import { askForMail, mailLinkJob } from "./asked-mails.ts";
import { passwordDigest, type TokenKind } from "./mailed-tokens.ts";
import { passwordErrors, requireGood } from "./passwords.ts";

const MAKE = statement(
  `insert into accounts (id, email, full_name, password_hash) values ($1, $2, $3, $4) on conflict (email) do nothing returning id`,
);
/** The active member with this address; accounts of other organisations are not found (access §14). */
const MEMBER = statement(`select a.id from accounts a
  join memberships m on m.organisation_id = $1 and m.account_id = a.id and m.deactivated_at is null
  where a.email = $2 and a.is_active`);
const OWNER = statement("select id from accounts where email = $1");
const TOKEN = `select a.id, a.email, a.full_name, a.locale, a.password_hash, a.is_active, a.is_verified, a.hand_disabled_at, a.version, t.password_digest
  from account_tokens t join accounts a on a.id = t.account_id and a.email = t.email
  where t.organisation_id = $1 and t.token_hash = $2 and t.kind = any($3) and t.expires_at > now()`;
const LOOK = statement(TOKEN);
const LOCK = statement(`${TOKEN} for update of a`);
const FORGET = statement("delete from account_tokens where organisation_id = $1 and account_id = $2 and kind = any($3)");

/** The account of a mailed token. */
type Tokened = Account & { password_digest: Buffer };

/** Tokens that set a password; an invite does too (access §1.3). */
const SETTING: TokenKind[] = ["reset", "invite"];

const OPEN = "works before anybody is signed in";

/** Whether the account is active and still has the password the token was made for. */
const isCurrent = (found: Tokened | undefined): found is Tokened =>
  found?.is_active === true && found.password_digest.equals(passwordDigest(found.password_hash));

/** The id of the member with the typed address, if that account can sign in here. */
const memberOf = async (organisationId: string, email: string): Promise<string | undefined> =>
  (await queryOutside<{ id: string }>(MEMBER, [organisationId, email.toLowerCase()]))?.id;

export default service("auth.registration", {
  jobs: { "access.mail-link": mailLinkJob },
  actions: {
    register: passwordSignIn({
      rest: "POST /auth/register",
      summary: "Register an account",
      description: "The account belongs to no organisation and has access to none until it is invited.",
      open: OPEN,
      needs: "nothing",
      limit: "account",
      body: UserCreate,
      returns: UserRead,
      errors: ["register_user_already_exists", ...passwordErrors],
      async handler(ctx) {
        const { registration } = runtime().config;
        if (registration === "off") throw notFound();
        const { password, full_name } = ctx.params.body;
        const email = ctx.params.body.email.toLowerCase();
        requireGood(password, email);
        const hash = await hashPassword(password);
        const [id, name] = [newId(), storedName(full_name) ?? null];
        const [[made] = [], [owner] = []] = await queryAll([MAKE, [id, email, name, hash]], [OWNER, [email]]);
        if (!made && registration === "open") throw refusal("register_user_already_exists");
        if (registration === "quiet") askForMail("already-registered", made ? undefined : (owner?.["id"] as string | undefined));
        return { email, full_name: name, id, is_active: true, is_superuser: false, is_verified: false };
      },
    }),

    requestVerification: passwordSignIn({
      rest: "POST /auth/request-verify-token",
      verb: "requestVerifyToken",
      summary: "Request a mail that verifies your address",
      description: "Always 202; only an active, unverified member is sent one.",
      open: OPEN,
      needs: "nothing",
      limit: "account",
      body: EmailOnly,
      returns: null,
      status: 202,
      async handler(ctx) {
        askForMail("verify", await memberOf(ctx.meta.organisation.id, ctx.params.body.email));
      },
    }),

    verify: passwordSignIn({
      rest: "POST /auth/verify",
      summary: "Verify your address with a mailed token",
      open: OPEN,
      needs: "nothing",
      body: TokenOnly,
      returns: UserRead,
      status: 200,
      errors: ["verify_user_bad_token", "verify_user_already_verified"],
      async handler(ctx) {
        const place = [ctx.meta.organisation.id, digest(ctx.params.body.token), ["verify"]];
        const found = await queryOne<Row & Tokened>(LOCK, place);
        if (!found?.is_active) throw refusal("verify_user_bad_token");
        if (found.is_verified) throw refusal("verify_user_already_verified");
        return writeAccount(found, { is_verified: true });
      },
    }),

    forgot: passwordSignIn({
      rest: "POST /auth/forgot-password",
      verb: "forgotPassword",
      summary: "Request a mail with a link that sets a new password",
      description: "Always 202; only an active account with a live membership here is sent one.",
      open: OPEN,
      needs: "nothing",
      limit: "account",
      body: EmailOnly,
      returns: null,
      status: 202,
      async handler(ctx) {
        askForMail("reset", await memberOf(ctx.meta.organisation.id, ctx.params.body.email));
      },
    }),

    reset: passwordSignIn({
      rest: "POST /auth/reset-password",
      verb: "resetPassword",
      summary: "Set a new password with a mailed token",
      description: "Works once. Marks the address as verified, ends every session and leaves the second factor.",
      open: OPEN,
      needs: "nothing",
      limit: "account",
      body: PasswordReset,
      returns: null,
      status: 200,
      errors: ["reset_password_bad_token", ...passwordErrors],
      async handler(ctx) {
        const { token, password } = ctx.params.body;
        const place = [ctx.meta.organisation.id, digest(token), SETTING];
        const found = await queryOutside<Tokened>(LOOK, place);
        if (!isCurrent(found)) throw refusal("reset_password_bad_token");
        requireGood(password, found.email);
        const hash = await hashPassword(password);
        const account = await queryOne<Row & Tokened>(LOCK, place);
        if (!isCurrent(account)) throw refusal("reset_password_bad_token");
        await writeAccount(account, { password_hash: hash, is_verified: true });
        enqueue(FORGET, [ctx.meta.organisation.id, account.id, SETTING]);
        endSessions(account.id, null);
      },
    }),
  },
});
