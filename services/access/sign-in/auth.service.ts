import { enqueue, queryAll, queryOutside } from "../../../core/database/query.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { passwordSignIn } from "../../../core/declare/makers/password-sign-in.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { FORGOTTEN, setGrantCookie, setSessionCookie } from "../../../core/http/session-cookie.ts";
import { request } from "../../../core/request/context.ts";
import { passwordFits } from "../../../core/security/crypto.ts";
import { statement } from "../../../core/sql/statement.ts";
import { service } from "../../../mixins/resource.ts";
import { inOwnTransaction } from "../../../mixins/tenancy.ts";
import { callerOf } from "../own-session.ts";
import { endImpersonation } from "../portal/impersonation.ts";
import { methodsOf } from "./factor-methods.ts";
import { auditFailure, type Origin, openChallenge, openSession } from "./sign-in.ts";
import { LoginChallenge, LoginForm } from "./sign-in-schemas.ts";

const ACCOUNT = statement(`select a.id, a.password_hash, m.id is not null as is_member,
    a.is_active and m.id is not null and m.deactivated_at is null as may_enter
  from accounts a
  left join memberships m on m.organisation_id = $1 and m.account_id = a.id
  where a.email = $2`);
/** Locks the account until the sign-in commits: a password changed meanwhile opens nothing. */
const STILL = statement("select 1 from accounts where id = $1 and is_active and password_hash = $2 for share");
/** A separate statement after that lock: it reads the current factor, not the one from before the password check. */
const FACTOR = statement(
  "select phone_confirmed_at is not null as has_phone from two_factors where account_id = $1 and confirmed_at is not null",
);
const END_SESSION = statement("update sessions set ended_at = now() where organisation_id = $1 and id = $2 and ended_at is null");
/** The link works once, so service access continues without a session. */
const END_OPERATOR = statement("update service_access_grants set session_hash = null where organisation_id = $1 and id = $2");

interface Candidate {
  id: string;
  password_hash: string | null;
  is_member: boolean;
  may_enter: boolean;
}

/** Opens a session or a second-factor challenge after the password check; null if the password has changed meanwhile. */
async function enter(
  { id, password_hash: hash }: Candidate,
  origin: Origin,
): Promise<{ session: string } | { challenge: string; hasPhone: boolean } | null> {
  const [[still] = [], [factor] = []] = await queryAll([STILL, [id, hash]], [FACTOR, [id]]);
  if (!still) return null;
  return factor
    ? { challenge: openChallenge(id), hasPhone: factor["has_phone"] === true }
    : { session: openSession(id, "password", origin) };
}

export default service("auth", {
  actions: {
    login: passwordSignIn({
      rest: "POST /auth/login",
      summary: "Sign in with e-mail and password",
      description:
        "Opens a session of this organisation. With a confirmed second factor the answer is a challenge instead of a cookie.",
      open: "signing in is how a session begins",
      needs: "nothing",
      limit: "sign-in",
      body: LoginForm,
      bodyType: "application/x-www-form-urlencoded",
      returns: LoginChallenge,
      status: 200,
      otherStatuses: { 204: "Signed in: the session cookie is set" },
      oneTime: true,
      errors: ["login_bad_credentials"],
      async handler(ctx) {
        const { username, password } = ctx.params.body;
        const candidate = await queryOutside<Candidate>(ACCOUNT, [ctx.meta.organisation.id, username.trim().toLowerCase()]);
        // Every failure takes the same time and returns the same error, so neither reveals accounts (access §1.2).
        const fits = await passwordFits(password, candidate?.password_hash ?? null);
        const opened = candidate?.may_enter && fits ? await inOwnTransaction(() => enter(candidate, ctx.meta)) : null;
        if (!opened) {
          const known = candidate?.is_member ? candidate.id : null;
          await inOwnTransaction(async () => auditFailure(known, "password"));
          throw refusal("login_bad_credentials");
        }
        if ("challenge" in opened)
          return {
            challenge_token: opened.challenge,
            methods: methodsOf(opened.hasPhone),
            two_factor_required: true,
          };
        request().headers["Set-Cookie"] = setSessionCookie(opened.session);
        return undefined;
      },
    }),

    logout: openAction({
      rest: "POST /auth/logout",
      summary: "End the session, including any acting in a client's login",
      open: "everyone can sign out",
      needs: "session",
      returns: null,
      status: 200,
      otherStatuses: { 204: "Signed out: the cookie is expired" },
      async handler(ctx) {
        const { organisation, principal } = ctx.meta;
        if (principal?.kind === "operator") enqueue(END_OPERATOR, [organisation.id, principal.credential.id]);
        else {
          const { accountId, sessionId } = callerOf(principal);
          await endImpersonation(accountId, sessionId);
          enqueue(END_SESSION, [organisation.id, sessionId]);
        }
        request().headers["Set-Cookie"] = [setSessionCookie("", 0), setGrantCookie("", 0)];
        Object.assign(request().headers, FORGOTTEN);
      },
    }),
  },
});
