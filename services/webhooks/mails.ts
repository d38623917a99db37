import { GREETING, type MailKind } from "../../core/declare/messages.ts";

/** Mails about webhooks to the members who manage them. */
export const webhookMails = {
  "webhook-disabled": {
    variables: ["webhook_name", "reason"],
    overridable: false,
    hasNoLink: true,
    texts: {
      nl: {
        subject: "De webhook “{{ webhook_name }}” is uitgeschakeld",
        body: [
          GREETING.nl,
          "{{ brand }} stuurt geen gebeurtenissen meer naar de webhook “{{ webhook_name }}”. {% if reason == 'gone' %}De ontvanger antwoordde dat hij niet meer bestaat.{% else %}De ontvanger nam drie dagen lang niets aan.{% endif %}",
          "Wat nog wachtte, wordt verstuurd zodra de webhook weer wordt ingeschakeld.",
        ],
      },
      en: {
        subject: "The webhook “{{ webhook_name }}” was switched off",
        body: [
          GREETING.en,
          "{{ brand }} no longer sends events to the webhook “{{ webhook_name }}”. {% if reason == 'gone' %}The receiver answered that it is gone.{% else %}The receiver took nothing for three days.{% endif %}",
          "Waiting messages are sent as soon as the webhook is switched on again.",
        ],
      },
    },
  },
} as const satisfies Record<string, MailKind>;

declare module "../../core/declare/messages.ts" {
  interface MailKinds extends Record<keyof typeof webhookMails, true> {}
}
