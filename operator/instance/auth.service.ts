import { refusal, unauthorized } from "../../core/errors/errors.ts";
import { setSessionCookie } from "../../core/http/session-cookie.ts";
import { passwordFits } from "../../core/security/crypto.ts";
import { service } from "../../mixins/resource.ts";
import { CommittedRefusal, instanceAction } from "./action.ts";
import { choosePassword, endSignIns } from "./administrators.ts";
import { recordAct } from "./audit.ts";
import { Me, PasswordForm, SignInChallenge, SignInForm, VerifyForm } from "./schemas/sign-in.ts";
import { beginSignIn, finishSignIn, SESSION_SECONDS } from "./sign-in.ts";

/** The sign-in of instance administrators: password, then always a code of an authenticator app. */
export default service("instance.auth", {
  actions: {
    login: instanceAction({
      rest: "POST /instance/auth/login",
      summary: "Begin to sign in as an instance administrator",
      description: "Checks the password; the session begins with `POST /instance/auth/verify`.",
      needs: "nothing",
      act: "administrator.password_accepted",
      limit: "sign-in",
      body: SignInForm,
      returns: SignInChallenge,
      status: 200,
      oneTime: true,
      errors: ["login_bad_credentials"],
      async handler({ client, params: { body }, meta, note }) {
        const begun = await beginSignIn(client, body.email, body.password);
        if ("failed" in begun) {
          const { failed: administratorId } = begun;
          // The audit keeps every line, so strangers must not fill it with addresses that nobody has.
          if (administratorId !== null)
            await recordAct(client, "administrator.sign_in_failed", null, meta, {
              administratorId,
              detail: { step: "password" },
            });
          return new CommittedRefusal(refusal("login_bad_credentials"));
        }
        const { administratorId, ...challenge } = begun;
        note({ administratorId });
        return challenge;
      },
    }),

    verify: instanceAction({
      rest: "POST /instance/auth/verify",
      summary: "Finish the sign-in with a code of the authenticator app",
      description:
        "Sets the session cookie, for twelve hours. The first code confirms the second factor. Eight wrong codes in a row lock it for 15 minutes.",
      needs: "nothing",
      act: "administrator.signed_in",
      limit: "sign-in",
      body: VerifyForm,
      returns: null,
      oneTime: true,
      errors: ["two_factor_challenge_invalid", "two_factor_code_invalid", "two_factor_locked"],
      async handler({ client, params: { body }, meta, header, note }) {
        const { challenge_token: token, code, new_password: newPassword } = body;
        const done = await finishSignIn(client, { token, code, newPassword }, meta);
        const { administratorId } = done;
        if ("refused" in done) {
          await recordAct(client, "administrator.sign_in_failed", null, meta, { administratorId, detail: { step: "code" } });
          return new CommittedRefusal(done.refused);
        }
        note({ administratorId });
        header("Set-Cookie", setSessionCookie(done.session, SESSION_SECONDS));
        return undefined;
      },
    }),

    logout: instanceAction({
      rest: "POST /instance/auth/logout",
      summary: "End your session",
      needs: "administrator",
      act: "administrator.signed_out",
      returns: null,
      async handler({ client, caller, header }) {
        if (caller.credential.kind !== "session") throw unauthorized();
        await client.query("delete from instance_sessions where id = $1", [caller.credential.id]);
        header("Set-Cookie", setSessionCookie("", 0));
        return undefined;
      },
    }),

    password: instanceAction({
      rest: "POST /instance/auth/password",
      summary: "Change your password; it ends all your sessions",
      needs: "administrator",
      act: "administrator.password_changed",
      limit: "sign-in",
      body: PasswordForm,
      returns: null,
      errors: ["password_incorrect"],
      async handler({ client, caller, params: { body }, header }) {
        const { administrator, credential } = caller;
        if (credential.kind !== "session") throw unauthorized();
        const { rows } = await client.query("select password_hash from instance_administrators where id = $1 for update", [
          administrator.id,
        ]);
        if (!(await passwordFits(body.current_password, rows[0]?.password_hash ?? null))) throw refusal("password_incorrect");
        await choosePassword(client, administrator, body.new_password);
        await endSignIns(client, administrator.id);
        header("Set-Cookie", setSessionCookie("", 0));
        return undefined;
      },
    }),

    me: instanceAction({
      rest: "GET /instance/me",
      summary: "Show who you are and what you may do",
      needs: "administrator",
      returns: Me,
      async handler({ caller: { administrator, capabilities, organisations, credential } }) {
        return {
          id: administrator.id,
          email: administrator.email,
          full_name: administrator.fullName,
          capabilities,
          organisations,
          credential: credential.kind,
        };
      },
    }),
  },
});
