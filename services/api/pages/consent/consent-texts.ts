import type { Locale } from "../../../../core/config/defaults.ts";

const nl = {
  title: "Toegang geven",
  asks: "wil namens jou werken bij",
  app: "App",
  site: "Website, zoals de app opgeeft",
  returns: "Keert terug naar",
  thisComputer: "een programma op deze computer",
  thisDevice: "een app op dit apparaat",
  account: "Jouw account",
  beware:
    "Een app kiest zelf haar naam. Ga alleen verder als je dit zelf bent begonnen en je het adres kent waarnaar je terugkeert.",
  bounds:
    "De app mag nooit meer dan jij zelf. De toegang eindigt na 90 dagen zonder gebruik, of wanneer je de verbinding verbreekt bij Mijn account.",
  what: "Wat mag de app?",
  full: "Alles wat je zelf mag",
  fullText: "Ook wijzigen en verwijderen, en ook wat hieronder niet is aangevinkt.",
  nothing: "De app vraagt om niets dat je zelf mag.",
  mayNot: "Je rol staat niet toe dat je apps toegang geeft. Vraag het een beheerder.",
  allow: "Toestaan",
  deny: "Weigeren",
  refused: {
    "errors.oauth_client_unknown":
      "Deze app is hier niet bekend, of zij is ingetrokken. Begin opnieuw in de app; blijft het zo, neem dan contact op met de maker.",
    "errors.oauth_redirect_mismatch": "Het adres waarnaar de app wil terugkeren hoort niet bij haar. Er is niets doorgegeven.",
    "errors.oauth_invalid_target": "De app vraagt toegang tot iets dat hier niet bestaat. Er is niets doorgegeven.",
    "errors.oauth_scope_empty": "Kies minstens één recht, of weiger.",
    "errors.oauth_scope_invalid": "Kies uit de rechten in de lijst.",
    "errors.apikey_scope_exceeds_grants": "Je mag niet meer geven dan je zelf mag. Je rechten zijn zojuist gewijzigd.",
    "errors.validation": "Het verzoek van de app is niet compleet. Er is niets doorgegeven.",
  } as Record<string, string>,
  apps: "Verbonden apps",
  noApps: "Je hebt geen apps toegang gegeven.",
  since: "sinds",
  lastUsed: "laatst gebruikt",
  neverUsed: "nog niet gebruikt",
  disconnect: "Verbreken",
  disconnected: "De verbinding is verbroken.",
};

const en: typeof nl = {
  title: "Give access",
  asks: "wants to act for you at",
  app: "App",
  site: "Website, according to the app",
  returns: "Returns to",
  thisComputer: "a program on this computer",
  thisDevice: "an app on this device",
  account: "Your account",
  beware: "An app chooses its own name. Go on only if you started this yourself and know the address that you return to.",
  bounds:
    "The app may never do more than you may yourself. Its access ends after 90 days without use, or when you disconnect it at My account.",
  what: "What is the app allowed to do?",
  full: "Everything that you can do yourself",
  fullText: "Also changing and deleting, including what is not ticked below.",
  nothing: "The app requests nothing that you can do yourself.",
  mayNot: "Your role does not allow you to give apps access. Ask an administrator.",
  allow: "Allow",
  deny: "Refuse",
  refused: {
    "errors.oauth_client_unknown":
      "This app is not known here, or it was revoked. Start again in the app; if this stays, contact its maker.",
    "errors.oauth_redirect_mismatch": "The return address is not one of the app's own. No data was sent.",
    "errors.oauth_invalid_target": "The app requests access to a resource that does not exist here. No data was sent.",
    "errors.oauth_scope_empty": "Choose at least one permission, or refuse.",
    "errors.oauth_scope_invalid": "Choose from the permissions in the list.",
    "errors.apikey_scope_exceeds_grants": "You cannot give more than you have. Your permissions have just changed.",
    "errors.validation": "The app's request is incomplete. No data was sent.",
  },
  apps: "Connected apps",
  noApps: "No app has access to your account.",
  since: "since",
  lastUsed: "last used",
  neverUsed: "not used yet",
  disconnect: "Disconnect",
  disconnected: "The app has been disconnected.",
};

/** The texts of the consent page and of the connected applications. */
export const consentTexts: Record<Locale, typeof nl> = { nl, en };
