import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that `fields` of an answer can carry. */
export const notificationFieldTexts = {
  "errors.notification_channel_input": [
    "The address of the channel does not have the form of its kind.",
    "Paste the address as the other service shows it.",
  ],
  "errors.notification_channel_blocked": [
    "The address leads into the service's own network, or to a host that the kind of channel does not use.",
    "Use the public address of the service, or ask the operator to allow the range.",
  ],
} satisfies ErrorTexts;

/** Keys that stored results carry. */
export const notificationResultTexts = {
  "errors.delivery_interrupted": [
    "A node stopped while it sent the message, so it is not known whether it arrived.",
    "Nothing; the message is sent once more where the channel can recognise it.",
  ],
  "errors.notification_obsolete": [
    "What the message was about is done or gone, so it was not sent.",
    "Nothing; this is not a failure.",
  ],
  "errors.notification_channel_gone": [
    "The channel was removed before the message was sent.",
    "Nothing, or add a channel and route the events to it.",
  ],
  "errors.notification_recipient_gone": [
    "The recipient has left the organisation or lost access to the record.",
    "Nothing; later notifications go to those who have access.",
  ],
  "errors.push_no_device": ["The recipient has no browser that accepts pushes.", "Allow notifications in a browser again."],
} satisfies ErrorTexts;
