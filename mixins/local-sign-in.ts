import { runtime } from "../core/config/runtime.ts";
import type { Action } from "../core/declare/action.ts";
import type { Organisation } from "../core/declare/principal.ts";
import { refusal } from "../core/errors/errors.ts";

/** Whether an organisation accepts passwords: it does not enforce single sign-on, or the operator has disabled enforcement for everyone. */
export const takesPasswords = ({ enforcesSso }: Pick<Organisation, "enforcesSso">): boolean =>
  !enforcesSso || runtime().config.forceLocalLogin;

/** 403 for an organisation that enforces single sign-on (access §1.3). */
export const localLoginDisabled = () => refusal("local_login_disabled", "auth.local_login_disabled");

/** Compiles the check of a password sign-in action, which an organisation may have disabled; null for other actions. */
export const localSignInGate = ({ localSignIn }: Pick<Action, "localSignIn">): ((organisation: Organisation) => void) | null =>
  localSignIn
    ? (organisation) => {
        if (!takesPasswords(organisation)) throw localLoginDisabled();
      }
    : null;
