import { GREETING, type MailKind } from "../../core/declare/messages.ts";

/** Mails about the installation, to members who may view it. */
export const platformMails = {
  "trial-ending": {
    variables: ["ends_on"],
    overridable: false,
    hasNoLink: true,
    texts: {
      nl: {
        subject: "De proefperiode van {{ brand }} eindigt op {{ ends_on.nl }}",
        body: [
          GREETING.nl,
          "De proefperiode van de installatie waarop {{ brand }} draait eindigt op {{ ends_on.nl }}. Daarna kun je in onderdelen waarvoor geen licentie is geïnstalleerd alles nog lezen, maar niets meer wijzigen.",
          "Vraag de beheerder van de installatie om een licentie te installeren (`licence set`).",
        ],
      },
      en: {
        subject: "The trial of {{ brand }} ends on {{ ends_on.en }}",
        body: [
          GREETING.en,
          "The trial of the installation that runs {{ brand }} ends on {{ ends_on.en }}. From then on, modules without an installed licence can be read but no longer changed.",
          "Ask the operator of the installation to install a licence (`licence set`).",
        ],
      },
    },
  },
} as const satisfies Record<string, MailKind>;

declare module "../../core/declare/messages.ts" {
  interface MailKinds extends Record<keyof typeof platformMails, true> {}
}
