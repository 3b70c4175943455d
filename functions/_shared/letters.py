"""Mails of the product in one look, as text and as HTML; the auth mails of supabase/templates look the same."""

from dataclasses import dataclass
from html import escape
from string import Template

from backend.edge import api

SIGNATURE = "Socio, il socio digitale di chi lavora in proprio"


@dataclass(frozen=True)
class Letter:
    """The text of a mail, in plain Italian: its title is the subject too; `link` stands behind the button.

    After the greeting the first paragraph goes on in lower case; texts that begin in their own way have no greeting.
    """

    title: str
    paragraphs: tuple[str, ...]
    small: str = ""
    button: str = ""
    link: str = ""
    greeting: str = "Ciao,"


def message(to: str, letter: Letter, purpose: str) -> api.Message:
    """The mail; every word of the letter is escaped. `purpose` may be logged."""
    return api.Message(to=to, subject=letter.title, html=_html(letter), text=_text(letter), purpose=purpose)


def _text(letter: Letter) -> str:
    call = f"{letter.button}:\n{letter.link}" if letter.link else ""
    parts = (letter.title, letter.greeting, *letter.paragraphs, call, letter.small, f"--\n{SIGNATURE}")
    return "\n\n".join(filter(None, parts)) + "\n"


def _html(letter: Letter) -> str:
    words = {name: escape(value) for name, value in vars(letter).items() if isinstance(value, str)}
    texts = filter(None, (letter.greeting, *letter.paragraphs))
    paragraphs = "".join(PARAGRAPH.substitute(words, text=escape(text)) for text in texts)
    return PAGE.substitute(
        words,
        signature=SIGNATURE,
        paragraphs=paragraphs,
        call=CALL.substitute(words) if letter.link else "",
        note=NOTE.substitute(words) if letter.small else "",
        fallback=FALLBACK.substitute(words) if letter.link else "",
    )


PARAGRAPH = Template('<p style="margin:0 0 16px">$text</p>')
CALL = Template(
    '<p style="margin:24px 0"><a href="$link" style="display:inline-block;padding:14px 24px;border-radius:10px;'
    'background:#0F5B47;color:#FFFFFF;font-weight:600;text-decoration:none">$button</a></p>'
)
NOTE = Template('<p style="margin:0;color:#6B675E;font-size:14px;line-height:20px">$small</p>')
FALLBACK = Template(
    '<tr><td style="padding:20px 32px;border-top:1px solid #E6E1D6;color:#6B675E;font-size:12px;line-height:18px">'
    "Il pulsante non si apre? Copia questo indirizzo nel browser:<br>"
    '<a href="$link" style="color:#0F5B47;word-break:break-all">$link</a></td></tr>'
)
PAGE = Template("""<!doctype html>
<html lang="it">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light">
    <title>$title</title>
  </head>
  <body style="margin:0;padding:0;background:#FAF8F3;font-family:'Instrument Sans',-apple-system,'Segoe UI',Roboto,\
Helvetica,Arial,sans-serif;font-size:16px;line-height:24px;color:#1C1B17">
    <table role="presentation" width="100%" cellspacing="0" style="background:#FAF8F3;font-family:inherit">
      <tr>
        <td align="center" style="padding:32px 16px">
          <table role="presentation" width="100%" cellspacing="0" style="max-width:520px;background:#FFFFFF;\
border:1px solid #E6E1D6;border-radius:10px;font-family:inherit;text-align:left">
            <tr><td style="padding:24px 32px 0;font-size:20px;font-weight:700;color:#0F5B47">Socio</td></tr>
            <tr>
              <td style="padding:16px 32px 32px">
                <h1 style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:600">$title</h1>
                $paragraphs$call$note
              </td>
            </tr>
            $fallback
          </table>
          <p style="margin:16px 0 0;font-size:12px;line-height:18px;color:#6B675E">$signature</p>
        </td>
      </tr>
    </table>
  </body>
</html>
""")
