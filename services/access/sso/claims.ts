import { isEmail, isLine } from "../../../core/schema/schema.ts";

/** A person as the provider describes them, validated and in stored form. */
export interface Identity {
  issuer: string;
  /** The provider's permanent id of the person (OpenID Connect Core §2, `sub`). */
  subject: string;
  /** In lower case; null if missing or invalid. */
  email: string | null;
  /** Whether the provider vouches for the address. */
  emailVerified: boolean;
  name: string | null;
  picture: string | null;
}

type Claims = Readonly<Record<string, unknown>>;

/** OpenID Connect Core §2: at most 255 ASCII characters. */
const LONGEST_SUBJECT = 255;
const LONGEST_ISSUER = 1000;
const LONGEST_NAME = 255;
const LONGEST_PICTURE = 2000;
const LONGEST_EMAIL = 320;

/** Some providers send the flag as text (access §9.2). */
const ASSERTED = new Set(["true", "1", "yes"]);

const textOf = (value: unknown): string | null => (typeof value === "string" && value.trim() !== "" ? value.trim() : null);

function emailOf(value: unknown): string | null {
  const email = textOf(value)?.toLowerCase() ?? null;
  return email !== null && email.length <= LONGEST_EMAIL && isEmail(email) ? email : null;
}

function nameOf(value: unknown): string | null {
  const name = textOf(value);
  return name !== null && isLine(name) && name.isWellFormed() ? [...name].slice(0, LONGEST_NAME).join("") : null;
}

/** An unusable picture is dropped: it must never block a sign-in. */
function pictureOf(value: unknown): string | null {
  const picture = textOf(value);
  if (picture === null || !/^https?:\/\/[^\s\p{Cc}]+$/iu.test(picture) || !URL.canParse(picture)) return null;
  const { href } = new URL(picture);
  return href.length <= LONGEST_PICTURE ? href : null;
}

/** Whether to ask the profile endpoint: only name and picture are read from it. */
export const hasGaps = (claims: Claims): boolean => nameOf(claims["name"]) === null || pictureOf(claims["picture"]) === null;

/**
 * The person of a verified ID token (access §9.2).
 * @param profile the profile endpoint's claims about the same subject; they only fill gaps
 * @returns null for an unusable issuer or subject
 */
export function identityOf(claims: Claims, profile: Claims = {}): Identity | null {
  const { iss, sub, email, email_verified: verified } = claims;
  if (typeof iss !== "string" || iss === "" || iss.length > LONGEST_ISSUER) return null;
  if (typeof sub !== "string" || sub === "" || sub.length > LONGEST_SUBJECT || !isLine(sub)) return null;
  return {
    issuer: iss,
    subject: sub,
    email: emailOf(email),
    emailVerified: verified === true || (typeof verified === "string" && ASSERTED.has(verified.toLowerCase())),
    name: nameOf(claims["name"]) ?? nameOf(profile["name"]),
    picture: pictureOf(claims["picture"]) ?? pictureOf(profile["picture"]),
  };
}
