import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import type { ErrorTexts } from "../../../core/declare/module.ts";
import { type ErrorEntry, nameOfError } from "../../../core/errors/errors.ts";

/** The meaning of an error for a caller. */
export interface ErrorText {
  /** When an operation returns it, as sentences. */
  when: string;
  /** What the caller should do, as sentences. */
  remedy: string;
}

const BY_STATUS: Readonly<Record<number, ErrorText>> = {
  308: { when: "The record has another address now.", remedy: "Send the request to the address in `Location`." },
  400: {
    when: "The request cannot be carried out as it was sent.",
    remedy: "Change the request; repeating it unchanged fails again.",
  },
  401: { when: "The request has no valid credential.", remedy: "Sign in again, or send a valid API key." },
  402: { when: "The module is readable but not writable.", remedy: "Ask the operator to renew the licence or the plan." },
  403: {
    when: "The caller does not have permission for this.",
    remedy: "Ask an administrator for the permission that `x-permission` of the operation names.",
  },
  404: { when: "The record does not exist for this caller.", remedy: "Check the id, the host and what the caller can see." },
  405: { when: "The path does not know this method.", remedy: "Use a method of the `Allow` header." },
  408: { when: "The request did not arrive in time.", remedy: "Send it again." },
  409: {
    when: "The state of the record or of a connected system does not allow this.",
    remedy: "Read the record again, resolve what the error names, and repeat the request.",
  },
  410: { when: "What was begun earlier cannot go on.", remedy: "Begin again from the start." },
  412: { when: "The row has changed since it was read.", remedy: "Read it again and repeat the change with the new `ETag`." },
  413: { when: "The body or file is too large.", remedy: "Send less per request, or a smaller file." },
  415: { when: "The operation does not read this media type.", remedy: "Send the media type that the operation documents." },
  422: {
    when: "A parameter or field is missing or invalid.",
    remedy: "Correct the fields that `error.fields` names, and send the request again.",
  },
  429: { when: "There were too many calls.", remedy: "Wait for the seconds of `Retry-After`, then repeat the call." },
  431: { when: "The headers are too large.", remedy: "Send fewer or shorter headers and cookies." },
  500: { when: "The service failed.", remedy: "Report the `X-Request-Id` of the answer to the operator." },
  502: {
    when: "An outside service failed, refused the call or could not be reached.",
    remedy: "Repeat the call later; if it keeps failing, check the connection in the settings.",
  },
  503: { when: "A part of the service is not available.", remedy: "Repeat the call after the seconds of `Retry-After`." },
};

/** When operations return a status, as sentences. */
export const usualWhen = (status: number): string => BY_STATUS[status]?.when ?? "Refused.";

/**
 * When an error occurs and what to do about it, from its module's `errorTexts`; errors of planned modules get the texts of their status.
 * @throws TypeError for a status without a text
 */
export function errorText(entry: ErrorEntry): ErrorText {
  const usual = BY_STATUS[entry.status];
  if (!usual) throw new TypeError(`the status ${entry.status} of '${entry.code}' has no text`);
  const declared = catalogue().errorTexts.get(nameOfError(entry)) ?? usual.when;
  return typeof declared === "string" ? { when: declared, remedy: usual.remedy } : { when: declared[0], remedy: declared[1] };
}

/** The meaning of a key outside of `error.message`, from its module's `fieldTexts` or `resultTexts`. */
export function keyText(text: ErrorTexts[string], location: "fields" | "result"): ErrorText {
  const remedy =
    location === "fields"
      ? "Correct the field that has this key, and send the request again."
      : "Resolve what it names; what runs later succeeds again.";
  return typeof text === "string" ? { when: text, remedy } : { when: text[0], remedy: text[1] };
}
