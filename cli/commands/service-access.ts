import { claim } from "../../operator/service-access.ts";
import type { Command } from "../command.ts";

export const serviceAccessCommands: readonly Command[] = [
  {
    name: "service-access claim",
    about: "Enter the PIN of an organisation on a hosted deployment; prints a sign-in link that works once, for an hour",
    options: {
      host: { value: "HOST", about: "The organisation's address, without scheme and port", required: true },
      pin: { value: "PIN", about: "The PIN its administrator has issued; dashes and spaces do not matter", required: true },
    },
    details: ["After ten wrong PINs the organisation has to issue a new one."],
    async run(call) {
      const claimed = await claim(call.client, call.config, call.need("host"), call.need("pin"));
      if ("refused" in claimed) return { json: { error: claimed.refused }, text: [], refused: claimed.refused };
      const { link, expiresAt, organisation } = claimed;
      return {
        json: { link, expires_at: expiresAt, organisation: organisation.slug },
        text: [`Sign in to ${organisation.slug} with this link, once and before ${expiresAt}:`, `  ${link}`],
      };
    },
  },
];
