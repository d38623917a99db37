import { sanitisedTemplate } from "./sanitise.ts";
import { isTemplate, oneLine } from "./template.ts";

/** An organisation's own words as they are sent, and what they may name. */
export interface Wording {
  subject: string;
  body: string;
  names: readonly string[];
}

/** The words as they are stored, and which of them are templates that name nothing else. */
export interface CheckedWording {
  subject: { text: string; isTemplate: boolean };
  body: { text: string; isTemplate: boolean };
}

/** Words of an organisation's own: the subject on one line, the body sanitised. A task for threads. */
export default async ({ subject, body, names }: Wording): Promise<CheckedWording> => {
  const judged = async (text: string) => ({ text, isTemplate: await isTemplate(text, names) });
  return { subject: await judged(oneLine(subject)), body: await judged((await sanitisedTemplate(body)).trim()) };
};
