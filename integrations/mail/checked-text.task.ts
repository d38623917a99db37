import { sanitisedTemplate } from "./sanitise.ts";
import { isTemplate, oneLine } from "./template.ts";

/** An organisation's own wording to store, with its allowed variables. */
export interface Wording {
  subject: string;
  body: string;
  names: readonly string[];
}

/** The wording as stored, and whether each part is a valid template with only those variables. */
export interface CheckedWording {
  subject: { text: string; isTemplate: boolean };
  body: { text: string; isTemplate: boolean };
}

/** Cleans an organisation's own wording: the subject on one line, the body sanitised. A task for threads. */
export default async ({ subject, body, names }: Wording): Promise<CheckedWording> => {
  const judged = async (text: string) => ({ text, isTemplate: await isTemplate(text, names) });
  return { subject: await judged(oneLine(subject)), body: await judged((await sanitisedTemplate(body)).trim()) };
};
