"""A page in Chromium, used as a person would, and the tool that makes it."""

import json
import os
import subprocess

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait


class Tool:
    """The command line."""

    def __init__(self, path):
        self.path = os.path.abspath(path)

    def __call__(self, *arguments):
        return subprocess.run(
            [self.path, *map(str, arguments)], capture_output=True, text=True)

    def draw(self, command, document, target, *options):
        """A command that draws, with the same pixels on every machine."""
        target.parent.mkdir(parents=True, exist_ok=True)
        run = self(command, document, "--platform", "software", "--in-process", *options,
                   "-o", target)
        assert run.returncode == 0, run.stderr


def open_browser(folder):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ["--headless=new", "--window-size=1280,860", "--force-color-profile=srgb",
                     f"--user-data-dir={folder}", "--disable-dev-shm-usage"]:
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Page:
    """The page, as a person uses it. Its pictures go to a folder, if one is given."""

    def __init__(self, browser, pictures=None):
        self.browser = browser
        self.pictures = pictures
        self.data = json.loads(self.script("return document.getElementById('data').textContent"))

    def script(self, code, *arguments):
        return self.browser.execute_script(code, *arguments)

    def wait(self, code, *arguments):
        WebDriverWait(self.browser, 10, 0.05).until(
            lambda _: self.script("return " + code, *arguments), code)

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def key(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()

    def texts(self, selector):
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def picture(self, name):
        if self.pictures:
            self.pictures.mkdir(parents=True, exist_ok=True)
            self.browser.save_screenshot(str(self.pictures / f"{name}.png"))


def prefer(browser, scheme):
    """Has pages know that light or dark is wanted."""
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": scheme}]})


def check_silence(browser, address):
    """Nothing was asked for but the page and its pictures, and nothing went wrong."""
    asked = [message["params"]["request"]["url"] for entry in browser.get_log("performance")
             for message in [json.loads(entry["message"])["message"]]
             if message["method"] == "Network.requestWillBeSent"
             and message["params"]["documentURL"] == address]
    others = {url[:60] for url in asked if url != address and not url.startswith("data:")}
    assert address in asked and not others, others
    entries = browser.execute_script(
        "return performance.getEntriesByType('resource').map(entry => entry.name)")
    assert all(entry.startswith("data:") for entry in entries), entries
    complaints = browser.get_log("browser")
    assert not complaints, complaints
