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
  bounds: "De app mag nooit meer dan jij zelf. Je verbreekt de verbinding wanneer je wilt, bij Mijn account.",
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
  site: "Website, as the app says",
  returns: "Returns to",
  thisComputer: "a program on this computer",
  thisDevice: "an app on this device",
  account: "Your account",
  beware: "An app chooses its own name. Go on only if you started this yourself and know the address that you return to.",
  bounds: "The app may never do more than you may yourself. You can disconnect it whenever you want, at My account.",
  what: "What may the app do?",
  full: "Everything that you may do yourself",
  fullText: "Also changing and deleting, and also what is not ticked below.",
  nothing: "The app asks for nothing that you may do yourself.",
  mayNot: "Your role does not let you give apps access. Ask an administrator.",
  allow: "Allow",
  deny: "Refuse",
  refused: {
    "errors.oauth_client_unknown":
      "This app is not known here, or it was revoked. Start again in the app; if this stays, contact its maker.",
    "errors.oauth_redirect_mismatch": "The address that the app wants to return to is none of its own. Nothing was passed on.",
    "errors.oauth_invalid_target": "The app asks for access to something that is not here. Nothing was passed on.",
    "errors.oauth_scope_empty": "Choose at least one permission, or refuse.",
    "errors.oauth_scope_invalid": "Choose from the permissions in the list.",
    "errors.apikey_scope_exceeds_grants": "You may not give more than you hold. Your permissions have just changed.",
    "errors.validation": "The app's request is not complete. Nothing was passed on.",
  },
  apps: "Connected apps",
  noApps: "You have given no app access.",
  since: "since",
  lastUsed: "last used",
  neverUsed: "not used yet",
  disconnect: "Disconnect",
  disconnected: "The app has been disconnected.",
};

/** The texts of the consent page and of the connected applications. */
export const consentTexts: Record<Locale, typeof nl> = { nl, en };
