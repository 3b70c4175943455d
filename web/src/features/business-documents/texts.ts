/** The four documents, as plain text that every program opens. Facts about Meta's pages as of November 2026. */
import type { DocumentId } from '@/features/business-documents/business-documents-page'

const project = `BOZZA DI PROGETTO
=================

Progetto:      ______________________________
Cliente:       ______________________________
Preparata da:  ______________________________
Data:          __/__/____     Versione: 0.1

1. IN UNA FRASE
   Alla fine di questo lavoro ______________ potrà ______________,
   mentre oggi ______________.

2. OBIETTIVI (tre al massimo, ognuno misurabile)
   a) ____________________  Misura: __________  Entro: __/__/____
   b) ____________________  Misura: __________  Entro: __/__/____
   c) ____________________  Misura: __________  Entro: __/__/____

3. CHE COSA È COMPRESO
   [ ] ____________________________________________
   [ ] ____________________________________________
   [ ] ____________________________________________

4. CHE COSA NON È COMPRESO
   Scriverlo adesso evita la discussione dopo.
   - Modifiche oltre il secondo giro di correzioni
   - Contenuti (testi, foto, traduzioni), salvo accordo scritto
   - ____________________________________________

5. FASI E CONSEGNE
   Fase              Consegna               Entro        Approva
   1. Analisi        Documento dei bisogni  __/__/____   ________
   2. Proposta       Bozza                  __/__/____   ________
   3. Realizzazione  Prima versione         __/__/____   ________
   4. Correzioni     Versione finale        __/__/____   ________
   5. Consegna       File e istruzioni      __/__/____   ________
   Un silenzio di 10 giorni lavorativi dopo una consegna vale come
   approvazione, se il contratto lo dice.

6. CHI FA CHE COSA
   Decide:          ____________________
   Fornisce i dati: ____________________  Entro: __/__/____
   Esegue:          ____________________
   Va informato:    ____________________

7. COSTI E PAGAMENTI
   Importo: __________ euro + IVA (se dovuta)
   Acconto:   30%  alla firma
   Stato:     40%  alla prima versione
   Saldo:     30%  alla consegna
   Spese vive (viaggi, licenze): a piè di lista, oltre ____ euro si
   chiede prima.

8. RISCHI
   Rischio                          Probabilità  Che cosa facciamo
   I materiali arrivano tardi       ________     Le date slittano di
                                                 altrettanto
   Cambia chi decide                ________     Si riparte dal punto 2
   Le richieste crescono            ________     Preventivo integrativo
                                                 prima di iniziare
   ____________________             ________     ____________________

9. DATI PERSONALI
   Quali dati del cliente vedrò: ____________________
   Serve una nomina a responsabile (art. 28 GDPR)?  [ ] sì  [ ] no

10. PROSSIMO PASSO
    Chi: ____________  Che cosa: ____________  Entro: __/__/____

Firma del cliente ____________________   Firma ____________________
`

const plan = `BUSINESS PLAN
=============

Attività: ______________________________   Anno: ________

1. SINTESI (si scrive per ultima, sta in mezza pagina)
   Che cosa vendo, a chi, perché comprano da me, quanto mi serve, quanto
   rende.

2. IL PROBLEMA
   Chi ce l'ha, quante volte, quanto gli costa oggi.
   Prova: almeno dieci conversazioni. Con chi ho parlato: ____________

3. L'OFFERTA
   Prodotto o servizio     Prezzo      Costo diretto   Margine
   ____________________    ________    ________        ________
   ____________________    ________    ________        ________
   ____________________    ________    ________        ________

4. I CLIENTI
   Cliente tipo: ____________________
   Quanti ce ne sono nella mia zona o settore: ________ (fonte: ______)
   Come mi trovano: ____________________
   Quanto vale un cliente in un anno: ________ euro

5. I CONCORRENTI
   Nome            Prezzo     In che cosa è meglio   In che cosa sono meglio
   ____________    ______     ____________           ____________
   ____________    ______     ____________           ____________
   Non fare niente resta sempre il primo concorrente.

6. COME VENDO
   Canale           Costo al mese   Contatti   Clienti   Costo per cliente
   ____________     ______          ______     ______    ______
   ____________     ______          ______     ______    ______

7. FORMA E FISCO (da verificare con il commercialista)
   [ ] Regime forfettario: ricavi fino a 85.000 euro, imposta sostitutiva
       15% (5% i primi 5 anni se ci sono i requisiti), niente IVA in fattura
   [ ] Regime ordinario
   [ ] Società: ____________________
   Codice ATECO: ________   Coefficiente di redditività: ____%
   Cassa o gestione previdenziale: ____________   Aliquota: ____%

8. CONTO DEL PRIMO ANNO
   Ricavi previsti                                   ________ euro
   - Costi diretti                                   ________
   = Margine                                         ________
   - Costi fissi (affitto, software, assicurazione,
     commercialista, telefono)                       ________
   - Contributi previdenziali                        ________
   - Imposte                                         ________
   = Mi resta                                        ________
   Diviso 12 = al mese                               ________
   Punto di pareggio: costi fissi / margine medio
   per vendita = ________ vendite all'anno

9. CASSA (il motivo per cui si chiude, più dell'utile)
   Mese          Entra     Esce      Resta
   1             ______    ______    ______
   2             ______    ______    ______
   3             ______    ______    ______
   4-12          ______    ______    ______
   Giorni medi d'incasso: ____   Riserva: almeno 3 mesi di costi fissi.

10. TAPPE E RISCHI
    Entro 3 mesi:  ____________________
    Entro 6 mesi:  ____________________
    Entro 12 mesi: ____________________
    Mi fermo o cambio strada se: ____________________
`

const costs = `PREVENTIVO E CONSUNTIVO COSTI
=============================

Cliente:   ______________________________
Progetto:  ______________________________
Preventivo n. ____ del __/__/____    Valido fino al __/__/____

A. VOCI                          PREVISTO              SPESO       DIFFERENZA
                              ore   euro/h  totale   ore  totale
1. Analisi e incontri        ____   ____   ______   ____  ______   ______
2. Progettazione             ____   ____   ______   ____  ______   ______
3. Realizzazione             ____   ____   ______   ____  ______   ______
4. Correzioni (2 giri)       ____   ____   ______   ____  ______   ______
5. Consegna e istruzioni     ____   ____   ______   ____  ______   ______
6. Coordinamento (10-15%)    ____   ____   ______   ____  ______   ______
                                    Totale A ______       ______   ______

B. COSTI VIVI
7. Licenze e servizi                       ______         ______   ______
8. Collaboratori esterni                   ______         ______   ______
9. Viaggi e trasferte                      ______         ______   ______
10. Materiali                              ______         ______   ______
                                    Totale B ______       ______   ______

C. RISERVA PER IMPREVISTI (10% di A + B)   ______         ______   ______

IMPONIBILE (A + B + C)                     ______         ______
+ Contributo cassa o rivalsa INPS (____%)  ______         ______
+ IVA 22% (non nel regime forfettario)     ______         ______
= TOTALE FATTURA                           ______         ______
- Ritenuta d'acconto 20% (se dovuta:       ______         ______
  professionista in regime ordinario verso
  impresa o altro sostituto d'imposta)
= NETTO CHE INCASSO                        ______         ______
Marca da bollo da 2 euro se la fattura è senza IVA e supera 77,47 euro.

D. MARGINE
Ricavo senza IVA                           ______         ______
- Costi vivi (B)                           ______         ______
- Ore x costo orario mio (____ euro)       ______         ______
= Margine                                  ______         ______
In percentuale sul ricavo                  ____%          ____%

IL MIO COSTO ORARIO
  (quanto voglio guadagnare in un anno + contributi e imposte + costi fissi)
  / ore fatturabili (di solito 1.000-1.200 su 1.700 lavorate) = ____ euro

E. PAGAMENTI
   Acconto ____% alla firma     Fattura n. ____ Scade __/__/____ [ ] pagata
   Stato   ____% a metà lavoro  Fattura n. ____ Scade __/__/____ [ ] pagata
   Saldo   ____% alla consegna  Fattura n. ____ Scade __/__/____ [ ] pagata
   Verso imprese: in ritardo decorrono gli interessi di mora e 40 euro di
   spese di recupero (D.Lgs. 231/2002).

F. CHE COSA HO IMPARATO
   La voce che ho sbagliato di più: ____________  di ____%
   Nel prossimo preventivo: ____________________
`

const whatsapp = `GUIDA ALLE CREDENZIALI WHATSAPP BUSINESS (META)
===============================================

LA VIA BREVE
  Se in Socio, in Impostazioni > Canali, c'è «Collega con Meta», i valori
  qui sotto non ti servono: premi il bottone, accedi con Facebook e scegli
  il numero, che può restare nell'app WhatsApp Business del telefono.
  I passi che seguono sono per chi usa una propria app di Meta.

Che cosa ti serve alla fine: quattro valori.
  1. Phone Number ID             (identificativo del numero)
  2. WhatsApp Business Account ID (WABA ID)
  3. Token di accesso permanente
  4. Segreto dell'app (App Secret), per riconoscere i messaggi in arrivo

PRIMA DI COMINCIARE
  [ ] Un account Facebook personale con verifica in due passaggi
  [ ] Ragione sociale, indirizzo, sito e P.IVA dell'attività
  [ ] Un numero di telefono che riceva un SMS o una chiamata e che NON sia
      attivo nell'app WhatsApp o WhatsApp Business. Se lo è, elimina prima
      l'account in quell'app (Impostazioni > Account > Elimina account): le
      chat vanno esportate prima. In alternativa usa un numero nuovo.
  [ ] Un metodo di pagamento: Meta fattura a te i messaggi a pagamento.

PASSO 1. Portfolio business
  - Apri business.facebook.com e crea un portfolio business (prima si
    chiamava Business Manager) con il nome esatto dell'attività.
  - Impostazioni > Informazioni sull'azienda: completa i dati.

PASSO 2. Verifica dell'azienda
  - Impostazioni > Centro sicurezza > Verifica dell'azienda > Inizia.
  - Tieni pronta una visura camerale o il certificato di attribuzione della
    P.IVA. Nome e indirizzo devono coincidere con quelli del portfolio.
  - Di solito bastano pochi giorni. Puoi continuare intanto, con limiti più
    bassi al numero di conversazioni.

PASSO 3. L'app per sviluppatori
  - Apri developers.facebook.com > Le mie app > Crea app.
  - Scegli il caso d'uso WhatsApp (o tipo di app «Azienda») e collega il
    portfolio del passo 1.
  - Nella bacheca dell'app aggiungi il prodotto WhatsApp.

PASSO 4. Il numero
  - WhatsApp > Configurazione dell'API > Aggiungi numero di telefono.
  - Inserisci nome visualizzato, categoria e numero; conferma con il codice.
  - Copia «Phone number ID» (valore 1) e «WhatsApp Business Account ID»
    (valore 2).

PASSO 5. Il token permanente
  - business.facebook.com > Impostazioni > Utenti > Utenti di sistema.
  - Aggiungi un utente di sistema con ruolo Amministratore.
  - Assegna risorse: l'app (controllo completo) e l'account WhatsApp
    (controllo completo).
  - Genera nuovo token: scegli l'app, scadenza «Mai», permessi
    whatsapp_business_messaging e whatsapp_business_management.
  - Copia il token subito (valore 3): non sarà mostrato di nuovo.
  Il token temporaneo di 24 ore della pagina dell'API non va bene.

PASSO 6. Il segreto dell'app
  - Bacheca dell'app > Impostazioni > Di base > Chiave segreta > Mostra
    (valore 4).

PASSO 7. Collega Socio
  - In Socio: Impostazioni > Canali > WhatsApp. Incolla i quattro valori.
  - Socio mostra un indirizzo (URL di callback) e un token di verifica.
  - Bacheca dell'app > WhatsApp > Configurazione > Webhook > Modifica:
    incollali, verifica, poi iscriviti al campo «messages».
  - Porta l'app in modalità «Live».

PASSO 8. Prova
  - Scrivi al numero da un altro telefono: il messaggio compare in Socio.
  - Rispondi entro 24 ore: in quella finestra scrivi liberamente. Dopo serve
    un modello approvato (WhatsApp Manager > Modelli di messaggio).

REGOLE DA NON DIMENTICARE
  - Scrivi solo a chi ti ha dato il consenso, e tienine prova.
  - Chi chiede di smettere non va più contattato.
  - Chi blocca o segnala abbassa la qualità del numero, e con lei i limiti.

SE QUALCOSA NON VA
  Errore 190: token scaduto o revocato. Ripeti il passo 5.
  Errore 131030: numero non nella lista di prova. L'app non è in «Live».
  Errore 131047: sono passate più di 24 ore. Usa un modello approvato.
  Il webhook non si verifica: controlla che l'indirizzo sia https e che il
  token di verifica sia identico.

SICUREZZA
  Questi valori aprono il tuo WhatsApp a chiunque li abbia: non mandarli per
  email o chat. Se pensi che siano usciti, revoca il token (passo 5) e
  rigenera la chiave segreta (passo 6).
`

export const texts: Record<DocumentId, string> = {
  'bozza-di-progetto': project,
  'business-plan': plan,
  'preventivo-e-consuntivo-costi': costs,
  'guida-whatsapp-business': whatsapp,
}
