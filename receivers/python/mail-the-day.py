#!/usr/bin/env python3
"""Mails a business day when it is complete. `tillgate listen --types day.completed --run ./mail-the-day.py`
runs it with the event on its standard input.

Needs TILLGATE_URL and TILLGATE_KEY (scope read), MAIL_FROM and MAIL_TO; MAIL_HOST (localhost:25) takes the mail.
Ends with 1 when the mail could not be handed over, which `listen` prints.
"""

import json
import os
import smtplib
import sys
import urllib.request
from email.message import EmailMessage

event = json.load(sys.stdin)
date = event["data"]["date"]
if event["data"]["sales"]["orders"] == 0 and not event["data"]["reports"]:
    sys.exit(0)  # A day on which nobody sold anything.
language = os.environ.get("MAIL_LANGUAGE", "en")
request = urllib.request.Request(
    f"{os.environ['TILLGATE_URL'].rstrip('/')}/v1/business-days/{date}/message?language={language}",
    headers={"X-API-Key": os.environ["TILLGATE_KEY"], "Accept": "application/json"},
)
with urllib.request.urlopen(request, timeout=30) as answer:
    day = json.load(answer)

mail = EmailMessage()
mail["From"] = os.environ["MAIL_FROM"]
mail["To"] = os.environ["MAIL_TO"]
mail["Subject"] = day["subject"]
# An event that is sent twice has the same message id, so most mail programs show it once.
mail["Message-ID"] = f"<{event['id']}@tillgate>"
mail.set_content(day["text"])
mail.add_alternative(day["html"], subtype="html")

host, _, port = os.environ.get("MAIL_HOST", "localhost:25").partition(":")
with smtplib.SMTP(host, int(port or 25), timeout=30) as server:
    server.send_message(mail)
