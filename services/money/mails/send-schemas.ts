import { email, flag, input, multiline, nullable, optional } from "../../../core/declare/schema.ts";

/** Longest message of a sender, in characters (money §13). */
const LONGEST_MESSAGE = 2000;

export const DocumentSend = input("DocumentSend", {
  to: optional(nullable(email())),
  message: optional(nullable(multiline(LONGEST_MESSAGE))),
  email: optional(flag(true)),
});
