/** Languages in which the name of a country is understood. */
const LANGUAGES = ["nl", "en", "de", "fr"];

/** Names people write that are not those of the standard (ISO 3166, CLDR); the last one is a code that is none. */
const ALSO: Readonly<Record<string, string>> = {
  holland: "NL",
  "the netherlands": "NL",
  "koninkrijk der nederlanden": "NL",
  belgie: "BE",
  luxemburg: "LU",
  duitsland: "DE",
  engeland: "GB",
  england: "GB",
  "groot-brittannie": "GB",
  "great britain": "GB",
  grossbritannien: "GB",
  schotland: "GB",
  scotland: "GB",
  wales: "GB",
  "verenigde staten van amerika": "US",
  "united states of america": "US",
  usa: "US",
  vs: "US",
  amerika: "US",
  tsjechie: "CZ",
  "czech republic": "CZ",
  turkey: "TR",
  "ivory coast": "CI",
  uk: "GB",
};

/** The three letters of the countries an agency here meets (ISO 3166-1 alpha-3). */
const THREE_LETTERS: Readonly<Record<string, string>> = {
  nld: "NL",
  bel: "BE",
  lux: "LU",
  deu: "DE",
  fra: "FR",
  gbr: "GB",
  irl: "IE",
  aut: "AT",
  che: "CH",
  ita: "IT",
  esp: "ES",
  prt: "PT",
  dnk: "DK",
  swe: "SE",
  nor: "NO",
  fin: "FI",
  pol: "PL",
  cze: "CZ",
  svk: "SK",
  hun: "HU",
  rou: "RO",
  bgr: "BG",
  hrv: "HR",
  svn: "SI",
  grc: "GR",
  tur: "TR",
  usa: "US",
  can: "CA",
};

/** A name without case, accents and doubled spaces. */
const plain = (name: string): string => name.normalize("NFD").replace(/\p{M}/gu, "").replace(/\s+/g, " ").trim().toLowerCase();

let known: Map<string, string> | undefined;

/** Every name of every country, made when the first one is asked for. */
function codes(): Map<string, string> {
  if (known) return known;
  known = new Map();
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
    for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
      const name = names.of(code);
      // Regions that are no country have codes of their own; what has left the standard shows the name of its heir.
      if (name !== undefined && new Intl.Locale("und", { region: code }).maximize().region === code) {
        const bare = plain(name);
        if (!known.has(bare)) known.set(bare, code);
      }
    }
  }
  for (const [name, code] of Object.entries({ ...THREE_LETTERS, ...ALSO })) known.set(name, code);
  return known;
}

/**
 * The code of a country from its name in Dutch, English, German or French, or from a code. Two characters stay as they are, whatever
 * they say: that is what the fields for countries take.
 */
export function countryCode(text: string): string | undefined {
  const name = plain(text);
  if (name.length === 2 && name !== "uk" && name !== "vs") return text.trim();
  return codes().get(name.replace(/\.$/, "")) ?? codes().get(name.replace(/\./g, ""));
}
