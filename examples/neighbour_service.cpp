// A small HTTP service for nearest neighbours: an example of embedding libpsdvec in C++17.
//
//     neighbour_service MODEL [--port N] [--threads N]
//
// The model is opened once and shared by all worker threads; each worker has its own context,
// which is the library's rule for threads. README.md lists the requests.
//
// It uses plain sockets and listens on 127.0.0.1 only. To offer it to others, put a web server
// with TLS, timeouts and limits in front of it.
#include <psdvec/psdvec.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace
{

constexpr std::size_t most_request = 1 << 20; // bytes, head and body together
constexpr std::size_t most_words = 10000;     // in one request
constexpr std::size_t most_neighbours = 1000;
constexpr int patience = 5000; // milliseconds to wait for a client

// ---- The library with RAII ----------------------------------------------------------------

struct free_context {
    void operator()(psdvec_context *ctx) const
    {
        psdvec_context_free(ctx);
    }
};

struct close_model {
    void operator()(psdvec_model *model) const
    {
        psdvec_model_close(model);
    }
};

using context_ptr = std::unique_ptr<psdvec_context, free_context>;
using model_ptr = std::unique_ptr<psdvec_model, close_model>;

context_ptr make_context()
{
    psdvec_context_options options;
    psdvec_context_options_default(&options);
    options.threads = 1; // requests run in parallel, not the work of one request
    psdvec_context *ctx = nullptr;
    if (psdvec_context_new(&options, &ctx) != PSDVEC_OK)
        throw std::runtime_error("no memory for a context");
    return context_ptr(ctx);
}

// Turns a failure of the library into an exception with its message.
void check(psdvec_context *ctx, psdvec_status status)
{
    if (status != PSDVEC_OK)
        throw std::runtime_error(psdvec_error_message(ctx));
}

// ---- JSON ---------------------------------------------------------------------------------

// The length of the valid UTF-8 sequence that `text` begins with; 0 if there is none.
std::size_t utf8_length(std::string_view text)
{
    auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    unsigned first = byte(0);
    std::size_t length = 0;
    if (first < 0x80)
        length = 1;
    else if (first >= 0xC2 && first < 0xE0)
        length = 2;
    else if (first >= 0xE0 && first < 0xF0)
        length = 3;
    else if (first >= 0xF0 && first < 0xF5)
        length = 4;
    if (length > text.size())
        return 0;
    for (std::size_t k = 1; k < length; k++)
        if ((byte(k) & 0xC0) != 0x80)
            return 0;
    // Overlong forms, surrogates, and numbers above U+10FFFF.
    if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
        (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F))
        return 0;
    return length;
}

// A JSON string. Bytes that are not UTF-8 become U+FFFD, so the answer is always valid.
std::string quoted(std::string_view text)
{
    std::string out = "\"";
    while (!text.empty()) {
        std::size_t length = utf8_length(text);
        unsigned char first = static_cast<unsigned char>(text[0]);
        if (length == 0) {
            out += "\xEF\xBF\xBD";
            length = 1;
        } else if (first == '"' || first == '\\') {
            out += '\\';
            out += text[0];
        } else if (first < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(first));
            out += escape;
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return out + "\"";
}

// ---- HTTP ---------------------------------------------------------------------------------

struct http_error {
    int status;
    std::string reason;
};

struct http_request {
    std::string method, path, body;
    std::map<std::string, std::string> query;
};

struct http_response {
    int status = 200;
    std::string body;
};

const char *reason_phrase(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 408:
        return "Request Timeout";
    case 413:
        return "Content Too Large";
    default:
        return "Internal Server Error";
    }
}

// "a%20b+c" is "a b c".
std::string url_decoded(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        char c = text[0];
        if (c == '%') {
            unsigned char value = 0;
            const char *end = text.data() + std::min<std::size_t>(text.size(), 3);
            auto [rest, error] = std::from_chars(text.data() + 1, end, value, 16);
            if (error != std::errc() || rest != text.data() + 3)
                throw http_error{400, "a % must be followed by two hexadecimal digits"};
            out += static_cast<char>(value);
            text.remove_prefix(3);
            continue;
        }
        out += c == '+' ? ' ' : c;
        text.remove_prefix(1);
    }
    return out;
}

// "top=3&word=a" as a map.
std::map<std::string, std::string> parse_query(std::string_view text)
{
    std::map<std::string, std::string> query;
    while (!text.empty()) {
        std::string_view pair = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(text.size(), pair.size() + 1));
        std::size_t equals = std::min(pair.find('='), pair.size());
        std::string_view value = pair.substr(std::min(pair.size(), equals + 1));
        query[url_decoded(pair.substr(0, equals))] = url_decoded(value);
    }
    return query;
}

bool same_ignoring_case(std::string_view a, std::string_view b)
{
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](char x, char y) { return lower(x) == lower(y); });
}

// The value of a header field of a request; empty if it is missing.
std::string_view header(std::string_view head, std::string_view name)
{
    for (std::size_t at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at)) {
        at += 2;
        std::string_view line = head.substr(at, head.find("\r\n", at) - at);
        std::size_t colon = line.find(':');
        if (colon == line.npos || !same_ignoring_case(line.substr(0, colon), name))
            continue;
        line.remove_prefix(colon + 1);
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        return line;
    }
    return {};
}

std::size_t number(std::string_view text, std::size_t least, std::size_t most,
                   const std::string &name)
{
    std::size_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
        throw http_error{400, name + " must be a number from " + std::to_string(least) + " to " +
                                  std::to_string(most)};
    return value;
}

// ---- Sockets ------------------------------------------------------------------------------

struct stopping {
};

class socket_fd
{
  public:
    explicit socket_fd(int fd) : fd_(fd)
    {
    }
    ~socket_fd()
    {
        if (fd_ >= 0)
            close(fd_);
    }
    socket_fd(const socket_fd &) = delete;
    socket_fd &operator=(const socket_fd &) = delete;
    int get() const
    {
        return fd_;
    }

  private:
    int fd_;
};

// Waits until `fd` is ready. The other end of `stop` is closed when the service ends.
void wait_for(int fd, short events, int stop, int timeout)
{
    pollfd fds[2] = {{fd, events, 0}, {stop, POLLIN, 0}};
    int ready = poll(fds, 2, timeout);
    if (fds[1].revents != 0)
        throw stopping();
    if (ready == 0)
        throw http_error{408, "the client took too long"};
}

// More bytes at the end of `to`; false if the client closed the connection.
bool receive(int fd, int stop, std::string &to)
{
    char buffer[16384];
    wait_for(fd, POLLIN, stop, patience);
    ssize_t got = recv(fd, buffer, sizeof buffer, 0);
    if (got > 0)
        to.append(buffer, static_cast<std::size_t>(got));
    if (to.size() > most_request)
        throw http_error{413,
                         "the request is larger than " + std::to_string(most_request) + " bytes"};
    return got > 0;
}

// False if the client closed the connection before it had sent a complete request.
bool read_request(int fd, int stop, http_request &request)
{
    std::string bytes;
    std::size_t end;
    while ((end = bytes.find("\r\n\r\n")) == bytes.npos)
        if (!receive(fd, stop, bytes))
            return false;
    std::string_view head = std::string_view(bytes).substr(0, end);
    std::string_view line = head.substr(0, head.find("\r\n"));
    std::size_t first = line.find(' '), second = line.rfind(' ');
    if (first == line.npos || second <= first || line.substr(second + 1, 5) != "HTTP/")
        throw http_error{400, "this is not an HTTP request"};
    request.method = line.substr(0, first);
    std::string_view target = line.substr(first + 1, second - first - 1);
    std::size_t mark = std::min(target.find('?'), target.size());
    request.path = target.substr(0, mark);
    request.query = parse_query(target.substr(std::min(target.size(), mark + 1)));
    std::string_view length = header(head, "Content-Length");
    std::size_t body = length.empty() ? 0 : number(length, 0, most_request, "Content-Length");
    while (bytes.size() < end + 4 + body)
        if (!receive(fd, stop, bytes))
            return false;
    request.body = bytes.substr(end + 4, body);
    return true;
}

// Also during shutdown: a request that has arrived is answered.
void send_response(int fd, const http_response &response)
{
    std::string bytes = "HTTP/1.1 " + std::to_string(response.status) + ' ' +
                        reason_phrase(response.status) +
                        "\r\nContent-Type: application/json\r\nConnection: close\r\n"
                        "Content-Length: " +
                        std::to_string(response.body.size()) + "\r\n\r\n" + response.body;
    for (std::string_view left = bytes; !left.empty();) {
        wait_for(fd, POLLOUT, -1, patience); // poll ignores a negative number
        ssize_t sent = send(fd, left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent <= 0)
            return;
        left.remove_prefix(static_cast<std::size_t>(sent));
    }
}

// ---- Answers ------------------------------------------------------------------------------

class worker
{
  public:
    explicit worker(const psdvec_model *model)
        : ctx_(make_context()), model_(model), info_(psdvec_model_get_info(model))
    {
    }

    http_response answer(const http_request &request)
    {
        if (request.path == "/health")
            return {200, "{\"status\": \"ok\", \"words\": " + std::to_string(info_->words) +
                             ", \"dim\": " + std::to_string(info_->dim) + "}\n"};
        if (request.path != "/similar")
            throw http_error{404, "there is /similar and /health"};
        if (request.method == "GET")
            return answer_one(request);
        if (request.method == "POST")
            return answer_many(request);
        throw http_error{405, "use GET for one word and POST for several"};
    }

  private:
    // The result of looking up a requested word.
    struct asked {
        std::string text;
        uint32_t word = PSDVEC_UNKNOWN_WORD;
        bool spelled = false; // its vector comes from its spelling
        bool known() const
        {
            return word != PSDVEC_UNKNOWN_WORD || spelled;
        }
    };

    std::size_t parameter(const http_request &request, const char *name, std::size_t least,
                          std::size_t most, std::size_t otherwise) const
    {
        auto found = request.query.find(name);
        return found == request.query.end() ? otherwise : number(found->second, least, most, name);
    }

    // Finds the word in the form of the model's tokeniser, or computes a vector from its spelling.
    asked look_up(const std::string &text, float *vector)
    {
        asked a;
        a.text = text;
        check(ctx_.get(),
              psdvec_model_find_normalized(ctx_.get(), model_, text.data(), text.size(), &a.word));
        if (a.word != PSDVEC_UNKNOWN_WORD) {
            psdvec_model_copy(model_, a.word, vector);
            return a;
        }
        if (!info_->has_spelling)
            return a;
        std::string normal(4 * text.size() + 16, '\0');
        std::size_t needed = 0;
        check(ctx_.get(), psdvec_model_normalize(ctx_.get(), model_, text.data(), text.size(),
                                                 normal.data(), normal.size(), &needed));
        a.spelled = needed > 0 && needed <= normal.size() &&
                    psdvec_model_spell(model_, normal.data(), needed, vector);
        return a;
    }

    std::string word_text(uint32_t i) const
    {
        std::size_t length = 0;
        const char *bytes = psdvec_model_word(model_, i, &length);
        return {bytes, length};
    }

    std::string to_json(const asked &a, const psdvec_neighbour *neighbours, std::size_t count) const
    {
        std::string out = "{\"query\": " + quoted(a.text) + ", \"word\": ";
        out += a.word == PSDVEC_UNKNOWN_WORD ? "null" : quoted(word_text(a.word));
        out += std::string(", \"spelled\": ") + (a.spelled ? "true" : "false");
        out += ", \"neighbours\": [";
        for (std::size_t k = 0; k < count; k++) {
            char cosine[32];
            std::snprintf(cosine, sizeof cosine, "%.6f", static_cast<double>(neighbours[k].cosine));
            out += (k ? ", {\"word\": " : "{\"word\": ") + quoted(word_text(neighbours[k].word)) +
                   ", \"cosine\": " + cosine + "}";
        }
        return out + "]}";
    }

    // The neighbours of all words in one call; the object for each, in order.
    std::vector<std::string> neighbours(const http_request &request,
                                        const std::vector<std::string> &texts, bool &all_known)
    {
        std::size_t count = texts.size();
        std::size_t top = parameter(request, "top", 1, most_neighbours, 10);
        std::vector<float> vectors(count * info_->dim); // zero vectors have no neighbours
        std::vector<asked> words;
        std::vector<uint32_t> except;
        std::vector<std::size_t> except_begin = {0};
        all_known = true;
        for (std::size_t q = 0; q < count; q++) {
            words.push_back(look_up(texts[q], vectors.data() + q * info_->dim));
            if (words[q].word != PSDVEC_UNKNOWN_WORD)
                except.push_back(words[q].word);
            except_begin.push_back(except.size());
            all_known = all_known && words[q].known();
        }
        psdvec_query_options options;
        psdvec_query_options_default(&options);
        options.restrict_words =
            static_cast<uint32_t>(parameter(request, "restrict", 0, UINT32_MAX, 0));
        options.except = except.data();
        options.except_count = except.size();
        options.except_begin = except_begin.data();
        std::vector<psdvec_neighbour> found(count * top);
        std::vector<std::size_t> found_count(count);
        check(ctx_.get(),
              psdvec_model_similar_many(ctx_.get(), model_, vectors.data(), count, &options, top,
                                        found.data(), found_count.data()));
        std::vector<std::string> objects;
        for (std::size_t q = 0; q < count; q++)
            objects.push_back(to_json(words[q], found.data() + q * top, found_count[q]));
        return objects;
    }

    http_response answer_one(const http_request &request)
    {
        auto word = request.query.find("word");
        if (word == request.query.end() || word->second.empty())
            throw http_error{400, "say which word: /similar?word=music"};
        bool known = false;
        std::vector<std::string> objects = neighbours(request, {word->second}, known);
        if (!known)
            throw http_error{404, "the word '" + word->second + "' is not in the model"};
        return {200, objects[0] + "\n"};
    }

    // One word per line.
    http_response answer_many(const http_request &request)
    {
        std::vector<std::string> texts;
        for (std::string_view left = request.body; !left.empty();) {
            std::string_view line = left.substr(0, left.find('\n'));
            left.remove_prefix(std::min(left.size(), line.size() + 1));
            if (!line.empty() && line.back() == '\r')
                line.remove_suffix(1);
            if (!line.empty())
                texts.emplace_back(line);
        }
        if (texts.empty())
            throw http_error{400, "the body of the request must have a word on each line"};
        if (texts.size() > most_words)
            throw http_error{413,
                             "ask for at most " + std::to_string(most_words) + " words at a time"};
        bool known = false;
        std::string out = "[";
        for (const std::string &object : neighbours(request, texts, known))
            out += (out.size() > 1 ? ",\n " : "") + object;
        return {200, out + "]\n"};
    }

    context_ptr ctx_;
    const psdvec_model *model_;
    const psdvec_model_info *info_;
};

// ---- The service --------------------------------------------------------------------------

void serve_client(worker &worker, int fd, int stop)
{
    http_response response;
    try {
        http_request request;
        if (!read_request(fd, stop, request))
            return;
        response = worker.answer(request);
    } catch (const http_error &error) {
        response = {error.status, "{\"error\": " + quoted(error.reason) + "}\n"};
    } catch (const std::exception &error) {
        response = {500, "{\"error\": " + quoted(error.what()) + "}\n"};
    }
    try {
        send_response(fd, response);
    } catch (const http_error &) { // the client is gone
    }
}

// The work of a thread until the service ends.
void serve(const psdvec_model *model, int listener, int stop)
{
    try {
        worker worker(model);
        for (;;) {
            wait_for(listener, POLLIN, stop, -1);
            socket_fd client(accept(listener, nullptr, nullptr)); // another worker may be faster
            if (client.get() >= 0)
                serve_client(worker, client.get(), stop);
        }
    } catch (const stopping &) {
    } catch (const std::exception &error) {
        std::fprintf(stderr, "neighbour_service: a worker ended: %s\n", error.what());
    }
}

int listen_on(std::size_t port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int yes = 1;
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0 ||
        listen(fd, 128) != 0) {
        std::string reason = std::strerror(errno);
        if (fd >= 0)
            close(fd);
        throw std::runtime_error("cannot listen on port " + std::to_string(port) + ": " + reason);
    }
    return fd;
}

unsigned port_of(int listener)
{
    sockaddr_in address = {};
    socklen_t length = sizeof address;
    getsockname(listener, reinterpret_cast<sockaddr *>(&address), &length);
    return ntohs(address.sin_port);
}

int run(const char *path, std::size_t port, std::size_t threads)
{
    // Every thread inherits the mask, and only this one waits for the signals.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    context_ptr ctx = make_context(); // of the model: freed after it
    psdvec_model *opened = nullptr;
    check(ctx.get(), psdvec_model_open(ctx.get(), path, &opened));
    model_ptr model(opened);

    socket_fd listener(listen_on(port));
    int pipe_fds[2];
    if (pipe(pipe_fds) != 0)
        throw std::runtime_error("no pipe to end the workers with");
    socket_fd stop(pipe_fds[0]);
    std::vector<std::thread> workers;
    for (std::size_t k = 0; k < threads; k++)
        workers.emplace_back(serve, model.get(), listener.get(), stop.get());
    std::printf("listening on http://127.0.0.1:%u\n", port_of(listener.get()));
    std::fflush(stdout);

    int signal = 0;
    sigwait(&signals, &signal);
    close(pipe_fds[1]); // wakes every worker
    for (std::thread &thread : workers)
        thread.join();
    std::printf("stopped by %s\n", signal == SIGINT ? "SIGINT" : "SIGTERM");
    return 0;
}

int usage()
{
    std::fprintf(stderr, "usage: neighbour_service MODEL [--port N] [--threads N]\n");
    return 2;
}

} // namespace

int main(int argc, char **argv)
{
    std::size_t port = 8080, threads = std::max(1U, std::thread::hardware_concurrency());
    if (argc < 2 || argc % 2 != 0)
        return usage();
    try {
        for (int k = 2; k < argc; k += 2) {
            std::string name = argv[k];
            if (name == "--port")
                port = number(argv[k + 1], 0, 65535, name); // 0: any free one
            else if (name == "--threads")
                threads = number(argv[k + 1], 1, 1024, name);
            else
                return usage();
        }
        return run(argv[1], port, threads);
    } catch (const http_error &error) {
        std::fprintf(stderr, "neighbour_service: %s\n", error.reason.c_str());
        return 2;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "neighbour_service: %s\n", error.what());
        return 1;
    }
}
