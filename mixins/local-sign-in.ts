import { runtime } from "../core/config/runtime.ts";
import type { Action } from "../core/declare/action.ts";
import { refusal } from "../core/declare/errors.ts";
import type { Organisation } from "../core/request/context.ts";

/** Whether an organisation takes passwords: it does not enforce single sign-on, or the operator has switched that off for everyone. */
export const takesPasswords = ({ enforcesSso }: Pick<Organisation, "enforcesSso">): boolean =>
  !enforcesSso || runtime().config.forceLocalLogin;

/** 403 where the organisation enforces single sign-on (access §1.3). */
export const localLoginDisabled = () => refusal("local_login_disabled", "auth.local_login_disabled");

/** Compiles whether an action is part of signing in by password, which an organisation may have switched off. */
export const localSignInGate = ({ localSignIn }: Pick<Action, "localSignIn">): ((organisation: Organisation) => void) | null =>
  localSignIn
    ? (organisation) => {
        if (!takesPasswords(organisation)) throw localLoginDisabled();
      }
    : null;
