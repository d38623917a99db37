import { CAPABILITIES } from "../../../core/declare/instance.ts";
import { answer, choice, flag, input, integer, list, nullable, optional, Type, text, uuid } from "../../../core/schema/schema.ts";

/** One capability. */
export const capability = () => choice([...CAPABILITIES]);
const secretText = (longest: number) => Type.Unsafe<string>({ type: "string", format: "password", maxLength: longest });

export const SignInForm = input(
  "InstanceSignInForm",
  { email: text(320, { example: "operator@agency.example" }), password: secretText(1024) },
  { email: "E-mail address of the administrator, in any case", password: "Password of the administrator" },
);

export const SignInChallenge = answer(
  "InstanceSignInChallenge",
  {
    challenge_token: Type.String(),
    expires_in: integer(),
    new_password_required: flag(),
    enrolment: nullable(
      answer(
        "InstanceEnrolment",
        { secret: Type.String(), otpauth_url: Type.String() },
        { secret: "Secret for an authenticator app, in base32", otpauth_url: "The same as an address that an app scans" },
      ),
    ),
  },
  {
    challenge_token: "Token for `POST /instance/auth/verify`",
    expires_in: "Seconds that the token is good for",
    new_password_required: "Whether the second step has to send `new_password`, because another person passed on the present one",
    enrolment: "The second factor to enrol; null once it is confirmed",
  },
);

export const VerifyForm = input(
  "InstanceVerifyForm",
  {
    challenge_token: Type.String({ minLength: 64, maxLength: 64, example: "0".repeat(64) }),
    code: text(20, { example: "123456" }),
    new_password: optional(secretText(1024)),
  },
  {
    challenge_token: "Token of `POST /instance/auth/login`",
    code: "Six digits of the authenticator app; they confirm the second factor the first time",
    new_password: "The administrator's own password of 8 to 128 characters; required if the token says so",
  },
);

export const PasswordForm = input(
  "InstancePasswordForm",
  { current_password: secretText(1024), new_password: secretText(1024) },
  { current_password: "Present password", new_password: "New password of 8 to 128 characters" },
);

export const Me = answer(
  "InstanceMe",
  {
    id: uuid(),
    email: Type.String(),
    full_name: nullable(Type.String()),
    capabilities: list(capability()),
    organisations: nullable(list(uuid())),
    credential: choice(["session", "key"]),
  },
  {
    id: "Id of the administrator",
    email: "E-mail address of the administrator",
    full_name: "Name of the administrator; null if none was entered",
    capabilities: "What the credential allows now: those that the administrator has, and for a key those that it was given",
    organisations: "Ids of the only organisations that the key concerns; null for all",
    credential: "Whether the caller presented a session or a key",
  },
);
