import { button, form } from "../../../../core/pages/elements.ts";
import { type Html, html } from "../../../../core/pages/html.ts";
import { consentTexts } from "../consent/consent-texts.ts";
import { moment } from "../moments.ts";
import type { Visit } from "../visit.ts";
import type { SectionOutcome } from "./outcome.ts";

interface Connection {
  id: string;
  client_name: string;
  client_uri: string | null;
  created_at: string;
  last_used_at: string | null;
}

/** The applications that act for the visitor, each with a disconnect button. */
export function appsSection({ locale, zone }: Visit, body: unknown, { notice }: SectionOutcome): Html {
  const words = consentTexts[locale];
  const rows = (body as Connection[]).map(
    ({
      id,
      client_name: name,
      client_uri: uri,
      created_at: since,
      last_used_at: used,
    }) => html`<div class="row"><p><bdi>${name}</bdi><br>
<span class="soft">${uri && html`<bdi>${uri}</bdi> · `}${words.since} ${moment(locale, zone, since)} · ${used ? html`${words.lastUsed} ${moment(locale, zone, used)}` : words.neverUsed}</span></p>
${form("/account/apps/disconnect#apps", { id }, button(words.disconnect, true))}</div>`,
  );
  return html`<section aria-labelledby="apps"><h2 id="apps">${words.apps}</h2>${notice}
${rows.length > 0 ? rows : html`<p>${words.noApps}</p>`}</section>`;
}
