import { action } from "../../core/action.ts";
import { request } from "../../core/context.ts";
import { digest, passwordFits, randomHex } from "../../core/crypto.ts";
import { statement } from "../../core/database.ts";
import { refusal } from "../../core/errors.ts";
import { newId } from "../../core/model.ts";
import { peek, query } from "../../core/query.ts";
import { SESSION_SECONDS, setSessionCookie } from "../../core/session-cookie.ts";
import { service } from "../../mixins/resource.ts";
import { LoginChallenge, LoginForm } from "./schemas.ts";

const ACCOUNT = statement(`select a.id, a.password_hash,
    a.is_active and exists (select 1 from memberships m where m.organisation_id = $1 and m.account_id = a.id and m.deactivated_at is null) as may_enter
  from accounts a where a.email = lower($2)`);
const OPEN_SESSION =
  statement(`insert into sessions (id, organisation_id, account_id, token_hash, address, user_agent, expires_at)
  values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))`);
const END_SESSION = statement("update sessions set ended_at = now() where organisation_id = $1 and id = $2 and ended_at is null");

interface Candidate {
  id: string;
  password_hash: string | null;
  may_enter: boolean;
}

export default service("auth", {
  actions: {
    login: action({
      rest: "POST /auth/login",
      summary: "Sign in with e-mail and password",
      description:
        "Opens a session of this organisation. With a confirmed second factor the answer is a challenge instead of a cookie.",
      open: "signing in is how a session begins",
      needs: "nothing",
      body: LoginForm,
      bodyType: "application/x-www-form-urlencoded",
      returns: LoginChallenge,
      status: 200,
      otherStatuses: { 204: "Signed in: the session cookie is set" },
      errors: ["login_bad_credentials"],
      async handler(ctx) {
        const { username, password } = ctx.params.body;
        const { organisation, address, userAgent } = ctx.meta;
        const candidate = await peek<Candidate>(ACCOUNT, [organisation.id, username.trim()]);
        // The same work and the same words for every failure, so that neither tells who has an account (access §1.2).
        const fits = await passwordFits(password, candidate?.password_hash ?? null);
        if (!candidate?.may_enter || !fits) throw refusal("login_bad_credentials");
        const token = randomHex(32);
        await query(OPEN_SESSION, [newId(), organisation.id, candidate.id, digest(token), address, userAgent, SESSION_SECONDS]);
        request().headers["Set-Cookie"] = setSessionCookie(token);
      },
    }),

    logout: action({
      rest: "POST /auth/logout",
      summary: "End the session",
      open: "everybody may leave",
      needs: "session",
      returns: null,
      status: 200,
      otherStatuses: { 204: "Signed out: the cookie is expired" },
      async handler(ctx) {
        await query(END_SESSION, [ctx.meta.organisation.id, ctx.meta.principal?.credential.id]);
        request().headers["Set-Cookie"] = setSessionCookie("", 0);
      },
    }),
  },
});
